// What tasks are made of: questions drawn at random, a part of them held out, sizes that are
// checked.
#pragma once

#include "../tasks.h"

namespace tapehead::data {

/// One of 0 … n-1.
Index below(core::Generator& generator, Index n);
/// `count` different ones of 0 … n-1, in random order.
std::vector<Index> some_of(core::Generator& generator, Index n, Index count);

/// Any question of a task, and what is the same for questions that are held out together.
using Ask = std::function<Example(core::Generator&)>;
using Key = std::vector<Index> (*)(const Example&);
std::vector<Index> inputs_of(const Example& example);

/// `task` with questions to draw and questions held out: `tenths` of all keys, whoever asks.
Task hold_out(Task task, Ask ask, Key key = inputs_of, Index tenths = 1);

/// `given`, or `usual` where it is not. Error, naming the range, outside of it.
struct SizeRange {
  Index usual, least, most;
};
Index checked_size(const char* task, const char* what, std::optional<Index> given,
                   const SizeRange& range);
/// Error for a size that `task` does not have.
void refuse_size(const char* task, const char* what, std::optional<Index> given);

/// "0" to "9", then "a" to "z": the first `count` of them. Or `count` letters from `first` on.
std::vector<std::string> digits(Index count);
std::vector<std::string> letters(char first, Index count);

}  // namespace tapehead::data
