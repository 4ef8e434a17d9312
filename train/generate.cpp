#include "generate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../autograd/create.h"
#include "../core/random.h"

namespace tapehead::train {
namespace {

using Tokens = std::vector<Index>;

void check(const GenerateOptions& o) {
  if (o.tokens < 0 || !(o.temperature >= 0) || o.top_k < 0 || !(o.top_p > 0 && o.top_p <= 1))
    fail("generate: expected tokens, temperature and top_k of at least 0 and a top_p above 0 and ",
         "up to 1, got ", o.tokens, ", ", o.temperature, ", ", o.top_k, " and ", o.top_p);
}

std::vector<double> numbers(const Tensor& x) {
  const NDArray array = x.to(Float64).array().contiguous();
  return {array.data<double>(), array.data<double>() + array.size()};
}

// exp((x - max) / temperature), which is at most 1.
std::vector<double> weights(std::vector<double> logits, double temperature) {
  const double most = *std::max_element(logits.begin(), logits.end());
  for (double& x : logits)
    x = x == most ? 1 : std::isinf(x) ? 0 : std::exp((x - most) / temperature);
  return logits;
}

// Sets to 0 all but the first of `order` that add up to `share` of their sum, `most` of them at
// most.
void keep_first(std::vector<double>& weights, const std::vector<std::size_t>& order,
                std::size_t most, double share) {
  double sum = 0, kept = 0;
  for (std::size_t i = 0; i < most; ++i) sum += weights[order[i]];
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool keeps = i < most && (i == 0 || share == 1 || kept < share * sum);
    if (keeps)
      kept += weights[order[i]];
    else
      weights[order[i]] = 0;
  }
}

std::vector<double> probabilities(const std::vector<double>& logits, const GenerateOptions& o) {
  for (const double x : logits)
    if (std::isnan(x)) fail("generate: logits must be numbers, got nan; look for it with NanGuard");
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  std::vector<double> p = weights(logits, o.temperature);
  const auto V = static_cast<Index>(p.size());
  const Index k = o.temperature == 0 ? 1 : o.top_k == 0 ? V : std::min(o.top_k, V);
  keep_first(p, order, static_cast<std::size_t>(k), o.top_p);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& each : p) each /= sum;
  return p;
}

// By the inverse of the cumulative distribution.
Index drawn(const std::vector<double>& p, core::Generator& random) {
  const double u = random.uniform_double();
  double below = 0;
  std::size_t last = 0;  // where rounding leaves the sum a little below u
  for (std::size_t token = 0; token < p.size(); ++token) {
    if (p[token] == 0) continue;
    below += p[token];
    if (u < below) return static_cast<Index>(token);
    last = token;
  }
  return static_cast<Index>(last);
}

Index next_token(const Tensor& logits, const GenerateOptions& o, core::Generator& random) {
  const std::vector<double> p = probabilities(numbers(logits), o);
  if (o.temperature > 0) return drawn(p, random);
  return std::max_element(p.begin(), p.end()) - p.begin();
}

// Feeds a model with what each text ends in, and gives its logits of what comes next.
class Reader {
 public:
  explicit Reader(const detail::Writer& model) : model_(model) {}

  Tensor operator()(const std::vector<Tokens>& texts) {  // (B, V)
    const bool room = cache_.length() > 0 && cache_.length() < model_.context;
    const Tensor logits =
        room ? model_.forward(ends(texts, Tokens(texts.size(), 1)), &cache_) : anew(texts);
    return logits.select(1, logits.size(1) - 1);
  }

 private:
  Tensor anew(const std::vector<Tokens>& texts) {
    Tokens lengths;
    for (const Tokens& text : texts)
      lengths.push_back(std::min(static_cast<Index>(text.size()), model_.context));
    const Index longest = *std::max_element(lengths.begin(), lengths.end());
    Tokens padding;
    for (const Index length : lengths) padding.push_back(longest - length);
    const bool pads = std::any_of(padding.begin(), padding.end(), [](Index n) { return n > 0; });
    cache_ = pads ? nn::KVCache(padding) : nn::KVCache();
    return model_.forward(ends(texts, lengths), &cache_);
  }

  // The last tokens of each text, those of the shorter ones behind zeros.
  static Tensor ends(const std::vector<Tokens>& texts, const Tokens& lengths) {
    const Index T = *std::max_element(lengths.begin(), lengths.end());
    Tokens rows;
    for (std::size_t b = 0; b < texts.size(); ++b) {
      rows.insert(rows.end(), static_cast<std::size_t>(T - lengths[b]), 0);
      rows.insert(rows.end(), texts[b].end() - lengths[b], texts[b].end());
    }
    return tensor(rows, {static_cast<Index>(texts.size()), T});
  }

  const detail::Writer& model_;
  nn::KVCache cache_;
};

}  // namespace

Tensor next_probabilities(const Tensor& logits, const GenerateOptions& options) {
  check(options);
  if (logits.dim() != 1 || logits.numel() == 0)
    fail<ShapeError>("next_probabilities: expected logits (V) of 1 token or more, got ",
                     logits.shape(), "; take those of one position with select");
  return tensor(probabilities(numbers(logits), options), logits.shape(), Float64);
}

void detail::check_causal(const SequenceModel& model) {
  if (!model.causal())
    fail("generate: expected a model that reads from left to right, got an ",
         name(model.options.arch), "; choose decoder, gpt or llama");
}

std::vector<Tokens> detail::generate(const Writer& model, const std::vector<Tokens>& prompts,
                                     const GenerateOptions& options, const OnTokens& on_token) {
  check(options);
  for (const Tokens& prompt : prompts)
    if (prompt.empty()) fail("generate: expected a prompt, got no token; begin with one");
  std::vector<Tokens> texts = prompts;
  std::vector<bool> writing(texts.size(), true);
  std::vector<core::Generator> random;
  for (std::size_t b = 0; b < texts.size(); ++b) random.emplace_back(options.seed + b);
  Reader read(model);
  for (Index i = 0; i < options.tokens; ++i) {
    if (std::none_of(writing.begin(), writing.end(), [](bool on) { return on; })) break;
    const Tensor logits = read(texts);  // (B, V)
    for (std::size_t b = 0; b < texts.size(); ++b) {
      if (!writing[b]) continue;
      texts[b].push_back(next_token(logits.select(0, static_cast<Index>(b)), options, random[b]));
      writing[b] = !on_token || on_token(b, texts[b].back());
    }
  }
  return texts;
}

// The whole target is read anew for each token: nothing is kept in a cache.
Tokens generate(nn::Transformer& model, const Tokens& source, const GenerateOptions& options,
                const OnToken& on_token, Index first) {
  const Index context = model.options.context;
  if (source.empty()) fail("generate: expected a source, got no token; give one to answer");
  if (first < 0 || first >= context)
    fail("generate: the first position must be from 0 to ", context - 1, ", got ", first);
  const Evaluating evaluating(model);
  const Tensor memory =
      model.encode(tensor(source, {1, static_cast<Index>(source.size())}));  // (1, Ts, d_model)
  const auto forward = [&](const Tensor& target, nn::KVCache*) {
    return model.decode(target, memory);  // (1, T, V)
  };
  GenerateOptions within = options;
  within.tokens = std::min(options.tokens, context - first);
  OnTokens each;
  if (on_token) each = [&on_token](std::size_t, Index token) { return on_token(token); };
  const Tokens before(static_cast<std::size_t>(first) + 1, model.start());
  const Tokens target = detail::generate({forward, context}, {before}, within, each)[0];
  return {target.begin() + first + 1, target.end()};
}

}  // namespace tapehead::train
