#include "text_mark.h"

#include <filesystem>
#include <optional>
#include <span>

#include "../data/text_file.h"
#include "../io/atomic_file.h"
#include "../io/checksum.h"
#include "../io/json.h"
#include "output.h"

namespace tapehead::cli {
namespace {

struct TextMark {
  std::int64_t bytes, crc32;
};

std::string mark_file(const std::string& folder) { return folder + "/text.json"; }

std::optional<TextMark> mark_of(const std::string& file) {
  std::error_code none;
  if (file.empty() || !std::filesystem::is_regular_file(file, none)) return std::nullopt;
  const std::string content = data::read_text_file("text", file);
  return TextMark{std::ssize(content), io::crc32_of(content)};
}

std::optional<TextMark> kept_mark(const std::string& folder) {
  std::error_code none;
  if (!std::filesystem::exists(mark_file(folder), none)) return std::nullopt;
  const std::string text = data::read_text_file("text", mark_file(folder));
  const auto bytes = io::json_integer(text, "bytes"), crc32 = io::json_integer(text, "crc32");
  if (!bytes || !crc32)
    fail<IoError>("text: ", mark_file(folder),
                  " should be an object with bytes and crc32; remove it to go on unchecked");
  return TextMark{*bytes, *crc32};
}

}  // namespace

void keep_text(const std::string& folder, const std::string& file) {
  const std::optional<TextMark> mark = mark_of(file);
  if (!mark) return;
  const std::string text =
      io::Json::object({{"bytes", mark->bytes}, {"crc32", mark->crc32}}).text() + "\n";
  io::AtomicFile out(mark_file(folder));
  out.write(std::as_bytes(std::span(text)));
  out.commit();
}

void check_text(const std::string& folder, const std::string& file) {
  const std::optional<TextMark> then = kept_mark(folder), now = mark_of(file);
  if (!then || !now || (then->bytes == now->bytes && then->crc32 == now->crc32)) return;
  const std::string change =
      then->bytes == now->bytes
          ? core::to_text("the same ", grouped(then->bytes), " bytes long, but others")
          : core::to_text(grouped(then->bytes), " bytes then, ", grouped(now->bytes), " now");
  fail(one_line(file), " is not the text this run was started with (", change,
       "); restore it, or start a new run");
}

}  // namespace tapehead::cli
