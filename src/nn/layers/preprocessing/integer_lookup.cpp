#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "antler/ops/core.h"
#include "antler/ops/hash.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/preprocessing/lookup_options.h"

namespace antler {

template <class V>
void fields(V& v, IntegerLookupOptions& o) {
  lookup_fields(v, o);
}

namespace {

IntegerLookupOptions checked(const IntegerLookupOptions& options) {
  IntegerLookupOptions o = checked_lookup("IntegerLookup", options);
  check_choice("IntegerLookup", "oov_method", o.oov_method, {"floormod", "farmhash"});
  if (o.vocabulary_dtype != "int64") {
    throw ValueError(
        "Only `vocabulary_dtype='int64'` is supported at this time. Received: vocabulary_dtype={}",
        o.vocabulary_dtype);
  }
  if (!o.salt.empty() && o.oov_method != "farmhash") {
    throw ValueError(
        "`salt` can only be used when `oov_method='farmhash'`. Received: oov_method={}",
        o.oov_method);
  }
  return o;
}

}  // namespace

IntegerLookup::IntegerLookup(const IntegerLookupOptions& options) : LayerOf(checked(options)) {
  table_ = table_of<int64_t>(options_);
}

void IntegerLookup::adapt(const Tensor& data) {
  table_->learn(ops::cast(data, DType::int64).to_vector<int64_t>(), data.shape());
}

namespace {

Tensor int64_scalar(int64_t value) { return Tensor::of<int64_t>({value}, {}); }

}  // namespace

/// Index in the vocabulary, -1 for unknown tokens. A binary search that consists of ops, so that a
/// traced program contains the table as a constant.
Tensor IntegerLookup::find(const Tensor& x) const {
  const std::vector<int64_t>& tokens = table_->tokens();
  const int64_t count = std::ssize(tokens);
  if (count == 0) return ops::full(x.shape(), int64_scalar(-1), DType::int64);
  std::vector<int64_t> order(tokens.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return tokens[static_cast<size_t>(a)] < tokens[static_cast<size_t>(b)];
  });
  std::vector<int64_t> keys;
  keys.reserve(order.size());
  for (const int64_t i : order) keys.push_back(tokens[static_cast<size_t>(i)]);
  const Tensor sorted = Tensor::of(keys);
  Tensor below = ops::zeros(x.shape(), DType::int64);
  int64_t step = 1;
  while (step * 2 <= count) step *= 2;
  for (; step > 0; step /= 2) {
    const Tensor next = below + step;
    const Tensor key = ops::take(sorted, ops::minimum(next, count) - 1, 0);
    const Tensor fits = ops::logical_and(ops::less_equal(next, count), ops::less_equal(key, x));
    below = ops::where(fits, next, below);
  }
  const Tensor at = ops::maximum(below - 1, 0);
  const Tensor known =
      ops::logical_and(ops::greater(below, 0), ops::equal(ops::take(sorted, at, 0), x));
  const Tensor index = ops::take(Tensor::of(order), at, 0) + table_->rules().token_start();
  return ops::where(known, index, int64_scalar(-1));
}

Tensor IntegerLookup::place_unknown(const Tensor& x) const {
  const int64_t start = table_->rules().oov_start();
  if (options_.num_oov_indices == 1) return int64_scalar(start);
  if (options_.oov_method == "farmhash") {
    return ops::hash_bin(x, options_.num_oov_indices, options_.salt) + start;
  }
  return ops::mod(x, options_.num_oov_indices) + start;
}

Tensor IntegerLookup::token_of(const Tensor& x) const {
  const std::vector<int64_t> all = table_->vocabulary(true);
  const int64_t start = table_->rules().token_start();
  const int64_t count = std::ssize(all);
  const Tensor oov = int64_scalar(options_.oov_token);
  Tensor token = oov;
  if (count > 0) {
    const Tensor inside = ops::logical_and(ops::greater_equal(x, start), ops::less(x, count));
    token = ops::where(inside, ops::take(Tensor::of(all), ops::clip(x, 0, count - 1), 0), oov);
  }
  if (!options_.mask_token) return token;
  return ops::where(ops::equal(x, 0), int64_scalar(*options_.mask_token), token);
}

Tensor IntegerLookup::call(const Tensor& input, const CallOptions&) {
  if (input.is_value()) table_->require_vocabulary();  // a traced model may be adapted later
  const Tensor x = ops::cast(input, DType::int64);
  if (options_.invert) return token_of(x);
  Tensor index = find(x);
  if (options_.mask_token) {
    // An index that is out of range is not counted.
    const int64_t mask = options_.output_mode == "int" ? 0 : std::numeric_limits<int64_t>::max();
    index =
        ops::where(ops::equal(x, int64_scalar(*options_.mask_token)), int64_scalar(mask), index);
  }
  const Tensor unknown = ops::equal(index, int64_scalar(-1));
  if (options_.num_oov_indices > 0) {
    index = ops::where(unknown, place_unknown(x), index);
  } else if (index.is_value() && ops::any(unknown).item() != 0) {
    throw ValueError(
        "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values, consider "
        "setting `num_oov_indices=1`. Received: inputs={}",
        x);
  }
  return encode(index);
}

Json IntegerLookup::get_config() const {
  Json config = LayerOf::get_config();
  config.erase("has_input_vocabulary");
  write_vocabulary(config);
  return config;
}

LayerClasses integer_lookup_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<IntegerLookup>(lookup_from_config<IntegerLookup>)};
  return kClasses;
}

}  // namespace antler
