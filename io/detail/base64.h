// Base64 (RFC 4648) in a file, as the bytes that it stands for.
#pragma once

#include "input_file.h"

namespace tapehead::io {

/// How many characters so many bytes take, with padding.
constexpr std::uint64_t base64_length(std::uint64_t bytes) { return (bytes + 2) / 3 * 4; }

/// The `bytes` bytes that the text from `offset` on stands for. IoError, about `subject`, for
/// characters that are not base64 or padding that is not at the end. The file must outlive it.
ByteSource base64_bytes(const InputFile& file, const Subject& subject, std::uint64_t offset,
                        std::uint64_t bytes);

}  // namespace tapehead::io
