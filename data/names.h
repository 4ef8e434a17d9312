// Names: a list of words, one a line, each to be written character by character.
//
//   const Names names = Names::read("names.txt");
//   const Batch batch = names.draw(random, 32);      // (32, longest of these + 1)
//
// "emma" is read as \n e m m a and answered by e m m a \n: the end of a line is the mark of start
// and end, so what a model writes after it are names, one a line.
#pragma once

#include "../core/random.h"
#include "batch.h"
#include "vocabulary.h"

namespace tapehead::data {

class Names {
 public:
  static constexpr Index longest = 255;  // characters
  /// The token of the mark, which also pads inputs; nothing is asked there.
  static constexpr Index mark = 0;

  /// A line ends with \n or \r\n; empty lines and a byte order mark are left out. Characters are
  /// code points if all of `content` is UTF-8, else bytes. `name` is what messages call it. Error
  /// for a list without a name in it, and for a name longer than `longest`, with its line.
  explicit Names(const std::string& content, std::string name = "names");
  /// IoError as Text::read.
  static Names read(const std::string& path);

  const std::string& name() const { return name_; }
  /// The mark, then all characters in the order of their code points.
  const Vocabulary& vocabulary() const { return vocabulary_; }
  /// How many tokens the longest name is read as.
  Index context() const { return context_; }

  /// Each a name's tokens without marks. A tenth is held out, equal names together; where that
  /// leaves either part empty, both are all names and `split` is false.
  const std::vector<std::vector<Index>>& train() const { return train_; }
  const std::vector<std::vector<Index>>& held_out() const { return held_out_; }
  bool split() const { return split_; }

  /// `size` names to train on, each as likely as any other; ShapeError for a size below 1.
  Batch draw(core::Generator& generator, Index size) const;
  /// All names held out, `size` at a time. ShapeError for a size below 1.
  std::vector<Batch> held_out_batches(Index size) const;

 private:
  std::string name_;
  Vocabulary vocabulary_;
  Index context_ = 0;
  std::vector<std::vector<Index>> train_, held_out_;
  bool split_ = true;
};

}  // namespace tapehead::data
