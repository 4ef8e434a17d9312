#include "byte_pair_tokenizer.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "../core/error.h"
#include "detail/token_chain.h"

namespace tapehead::data {
namespace {

using Merge = BytePairTokenizer::Merge;

// A text in training: where each pair of neighbours stands, and which is the most frequent.
class Pairs {
 public:
  explicit Pairs(std::string_view text) : chain_(text) {
    for (Index place = 0; place + 1 < chain_.size(); ++place) note(place);
    for (const auto& [pair, places] : places_) offer(pair);
  }

  // The most frequent pair that is there more than once; {none, none} if there is none.
  Merge most_frequent() {
    while (!queue_.empty()) {
      const auto [count, negated] = queue_.top();
      const Merge pair{-negated.first, -negated.second};
      if (count == counts_.at(pair)) return pair;
      queue_.pop();  // counted before some of them were joined to others
      offer(pair);
    }
    return {TokenChain::none, TokenChain::none};
  }

  // It is not offered again, unless it appears anew.
  void leave_out() { queue_.pop(); }

  void join(const Merge& pair, Index token) {
    std::vector<Index> places = std::move(places_.at(pair));
    std::sort(places.begin(), places.end());
    std::vector<Merge> fresh;
    for (const Index place : places) {
      if (!chain_.holds(place, pair)) continue;
      const Index before = chain_.previous(place);
      for (const Index changing : {before, place, chain_.next(place)}) forget(changing);
      chain_.join(place, token);
      for (const Index changed : {before, place})
        if (note(changed)) fresh.push_back(pair_at(changed));
    }
    std::sort(fresh.begin(), fresh.end());
    fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
    for (const Merge& one : fresh) offer(one);
    places_.erase(pair);
  }

 private:
  bool is_pair(Index place) const {
    return place != TokenChain::none && chain_.next(place) != TokenChain::none;
  }
  Merge pair_at(Index place) const {
    return {chain_.token(place), chain_.token(chain_.next(place))};
  }
  bool note(Index place) {
    if (!is_pair(place)) return false;
    places_[pair_at(place)].push_back(place);
    ++counts_[pair_at(place)];
    return true;
  }
  void forget(Index place) {
    if (is_pair(place)) --counts_.at(pair_at(place));
  }
  void offer(const Merge& pair) {
    const Index count = counts_.at(pair);
    if (count > 1) queue_.push({count, {-pair.first, -pair.second}});  // of equal ones the smaller
  }

  TokenChain chain_;
  std::map<Merge, std::vector<Index>> places_;  // with some where it no longer stands
  std::map<Merge, Index> counts_;
  std::priority_queue<std::pair<Index, Merge>> queue_;
};

Index length_of(const std::vector<Index>& lengths, Index token) {
  return token < BytePairTokenizer::bytes
             ? 1
             : lengths[static_cast<std::size_t>(token - BytePairTokenizer::bytes)];
}

}  // namespace

BytePairTokenizer::BytePairTokenizer(std::vector<Merge> merges) : merges_(std::move(merges)) {
  std::vector<Index> lengths;
  for (const Merge& merge : merges_) {
    const Index token = bytes + static_cast<Index>(lengths.size());
    if (std::min(merge.first, merge.second) < 0 || std::max(merge.first, merge.second) >= token)
      fail("byte pairs: token ", token, " must join two tokens before it, got ", merge.first,
           " and ", merge.second, "; list the merges in the order of their training");
    lengths.push_back(length_of(lengths, merge.first) + length_of(lengths, merge.second));
    if (lengths.back() > longest_piece)
      fail("byte pairs: a token may stand for ", longest_piece, " bytes, got ", lengths.back(),
           " for token ", token, "; leave it out");
    by_pair_.push_back({merge, token});
  }
  std::sort(by_pair_.begin(), by_pair_.end());
  const auto same =
      std::adjacent_find(by_pair_.begin(), by_pair_.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  if (same != by_pair_.end())
    fail("byte pairs: each pair must be joined once, got ", same->first.first, " and ",
         same->first.second, " for tokens ", same->second, " and ", (same + 1)->second,
         "; leave one out");
}

BytePairTokenizer BytePairTokenizer::train(std::string_view text, Index size) {
  if (size < bytes)
    fail("byte pairs: a tokenizer has at least the 256 bytes, got a size of ", size,
         "; choose 256 or more");
  Pairs pairs(text);
  std::vector<Merge> merges;
  std::vector<Index> lengths;
  while (bytes + static_cast<Index>(merges.size()) < size) {
    const Merge pair = pairs.most_frequent();
    if (pair.first == TokenChain::none) break;
    const Index length = length_of(lengths, pair.first) + length_of(lengths, pair.second);
    if (length > longest_piece) {
      pairs.leave_out();
      continue;
    }
    pairs.join(pair, bytes + static_cast<Index>(merges.size()));
    merges.push_back(pair);
    lengths.push_back(length);
  }
  return BytePairTokenizer(std::move(merges));
}

void BytePairTokenizer::append(std::string& text, Index token) const {
  std::vector<Index> open{token};
  while (!open.empty()) {
    const Index next = open.back();
    open.pop_back();
    if (next < bytes) {
      text += static_cast<char>(next);
    } else {
      const Merge& merge = merges_[static_cast<std::size_t>(next - bytes)];
      open.push_back(merge.second);
      open.push_back(merge.first);
    }
  }
}

std::string BytePairTokenizer::operator[](Index token) const { return decode({token}); }

std::string BytePairTokenizer::decode(const std::vector<Index>& tokens) const {
  std::string text;
  for (const Index token : tokens) {
    if (token < 0 || token >= size())
      fail("byte pairs: tokens are 0 to ", size() - 1, ", got ", token,
           "; was it made with another tokenizer?");
    append(text, token);
  }
  return text;
}

// What can be joined waits in a queue: what was learnt first, of equals the leftmost. Joining makes
// pairs of the new token alone, which were learnt later; so nothing that comes before is missed.
std::vector<Index> BytePairTokenizer::encode(std::string_view text) const {
  using Candidate = std::pair<Index, Index>;  // the token it would become, and its place
  TokenChain chain(text);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto offer = [&](Index place) {
    if (place == TokenChain::none || chain.next(place) == TokenChain::none) return;
    const Merge pair{chain.token(place), chain.token(chain.next(place))};
    const auto found =
        std::lower_bound(by_pair_.begin(), by_pair_.end(), std::pair(pair, Index{0}));
    if (found != by_pair_.end() && found->first == pair) queue.push({found->second, place});
  };
  for (Index place = 0; place < chain.size(); ++place) offer(place);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    if (!chain.holds(best.second, merges_[static_cast<std::size_t>(best.first - bytes)])) continue;
    chain.join(best.second, best.first);
    offer(chain.previous(best.second));
    offer(best.second);
  }
  return chain.tokens();
}

}  // namespace tapehead::data
