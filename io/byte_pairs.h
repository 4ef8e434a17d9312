// The merges of a byte-pair tokenizer (data::BytePairTokenizer) as a JSON file:
//
//   {"format": "tapehead byte pairs", "merges": [[116, 104], [256, 101]]}
//
//   save_byte_pairs("tokenizer.json", tokenizer.merges());
//   const data::BytePairTokenizer same(read_byte_pairs("tokenizer.json"));
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../core/shape.h"

namespace tapehead::io {

using core::Index;

/// Token 256 + k is merges[k], the two tokens that it joins. IoError as AtomicFile.
void save_byte_pairs(const std::string& path, const std::vector<std::pair<Index, Index>>& merges);

/// IoError, naming path and reason, for what is not such a file: other fields, pairs of more or
/// fewer than two tokens, tokens that are not there before the pair, more than 262144 pairs.
std::vector<std::pair<Index, Index>> read_byte_pairs(const std::string& path);

}  // namespace tapehead::io
