// TokenChain: a text as tokens of which neighbours are joined, each join in constant time.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "../../core/shape.h"

namespace tapehead::data {

using core::Index;

/// A place is where a token begins, as a number of bytes; it stays while others are joined.
class TokenChain {
 public:
  static constexpr Index none = -1;

  /// One token a byte.
  explicit TokenChain(std::string_view text) {
    const Index n = std::ssize(text);
    for (Index i = 0; i < n; ++i) {
      tokens_.push_back(static_cast<unsigned char>(text[static_cast<std::size_t>(i)]));
      previous_.push_back(i - 1);
      next_.push_back(i + 1 < n ? i + 1 : none);
    }
  }

  Index size() const { return std::ssize(tokens_); }
  Index token(Index place) const { return tokens_[at(place)]; }  // none once it has been joined
  Index previous(Index place) const { return previous_[at(place)]; }
  Index next(Index place) const { return next_[at(place)]; }

  /// Whether the tokens at `place` and after it are these two.
  bool holds(Index place, const std::pair<Index, Index>& two) const {
    return token(place) == two.first && next(place) != none && token(next(place)) == two.second;
  }
  /// The token at `place` and the one after it become `token`.
  void join(Index place, Index token) {
    const Index second = next(place), after = next(second);
    tokens_[at(place)] = token;
    tokens_[at(second)] = none;
    next_[at(place)] = after;
    if (after != none) previous_[at(after)] = place;
  }

  std::vector<Index> tokens() const {
    std::vector<Index> result;
    for (const Index token : tokens_)
      if (token != none) result.push_back(token);
    return result;
  }

 private:
  static std::size_t at(Index place) { return static_cast<std::size_t>(place); }
  std::vector<Index> tokens_, previous_, next_;
};

}  // namespace tapehead::data
