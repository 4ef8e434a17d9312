#include "checkpoint.h"

#include "../io/checksum.h"

namespace tapehead::train {
namespace {

const char* const format = "tapehead checkpoint 1";

std::string default_random() {
  const std::lock_guard lock(core::default_generator_mutex());
  return core::default_generator().state();
}

// Takes its own words out of the metadata; what is left is the caller's.
class Words {
 public:
  explicit Words(io::Metadata metadata) : left(std::move(metadata)) {}

  std::string take(const char* key) {
    const auto found = left.find(key);
    if (found == left.end())
      fail("it has no \"", key, "\" among its metadata; it is not a checkpoint");
    const std::string text = found->second;
    left.erase(found);
    return text;
  }

  io::Metadata left;
};

// Messages say what is wrong with the file; the caller says which.
io::Metadata load(io::Safetensors file, Trainer& trainer, Batches& batches) {
  Words words(std::move(file.metadata));
  if (const std::string given = words.take("format"); given != format)
    fail("its format is \"", given, "\", expected \"", format, "\"");
  if (const std::string given = words.take("options"); given != to_string(trainer.options()))
    fail("its options are ", given, " and those of this run ", to_string(trainer.options()),
         "; give the same");
  core::Generator random;
  random.set_state(words.take("random"));
  const std::string place = words.take("batches"), before = batches.state();
  batches.set_state(place);
  try {
    trainer.load_state_dict(file.tensors);
  } catch (...) {
    batches.set_state(before);
    throw;
  }
  const std::lock_guard lock(core::default_generator_mutex());
  core::default_generator() = random;
  return words.left;
}

}  // namespace

void save_checkpoint(const std::string& path, const Trainer& trainer, const Batches& batches,
                     const io::Metadata& more) {
  io::Metadata metadata{{"format", format},
                        {"options", to_string(trainer.options())},
                        {"random", default_random()},
                        {"batches", batches.state()}};
  for (const auto& [key, text] : more)
    if (!metadata.emplace(key, text).second)
      fail("save_checkpoint: metadata \"", key, "\" is taken; use another name");
  io::save_checked(path, trainer.state_dict(), metadata);
}

io::Metadata load_checkpoint(const std::string& path, Trainer& trainer, Batches& batches) {
  io::Safetensors file = io::read_checked(path);
  try {
    return load(std::move(file), trainer, batches);
  } catch (const Error& error) {
    fail<IoError>("load_checkpoint: cannot go on from ", path, ": ", error.what());
  }
}

}  // namespace tapehead::train
