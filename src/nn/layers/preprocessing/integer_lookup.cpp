#include <charconv>
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
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/lookup_options.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, IntegerLookupOptions& o) {
  v("invert", o.invert);
  v("max_tokens", o.max_tokens);
  v("num_oov_indices", o.num_oov_indices);
  v("oov_token", o.oov_token);
  v("mask_token", o.mask_token);
  v("output_mode", o.output_mode);
  v("sparse", o.sparse);
  v("pad_to_max_tokens", o.pad_to_max_tokens);
  v("vocabulary_dtype", o.vocabulary_dtype);
  list_field(v, "idf_weights", o.idf_weights);
  v("vocabulary", o.vocabulary);
  Ignored ignored;
  v("vocabulary_size", ignored);
  v("has_input_vocabulary", ignored);
  v("oov_method", o.oov_method);
  LookupSalt salt{o.salt};
  v("salt", salt);
}

namespace {

IntegerLookupOptions checked(const IntegerLookupOptions& options) {
  IntegerLookupOptions o = checked_lookup("IntegerLookup", options);
  check_choice("IntegerLookup", "oov_method", o.oov_method, {"floormod", "farmhash"});
  if (o.vocabulary_dtype != "int64") {
    throw ValueError(
        "Only `vocabulary_dtype='int64'` is supported at this time. Received: vocabulary_dtype=" +
        o.vocabulary_dtype);
  }
  if (!o.salt.empty() && o.oov_method != "farmhash") {
    throw ValueError("`salt` can only be used when `oov_method='farmhash'`. Received: oov_method=" +
                     o.oov_method);
  }
  return o;
}

}  // namespace

IntegerLookup::IntegerLookup(const IntegerLookupOptions& options)
    : LayerBase("IntegerLookup", base_options(options)),
      options_(checked(options)),
      table_(std::make_shared<TokenTable<int64_t>>(rules_of<int64_t>(options_))) {
  set_autocast(false);
  if (options_.vocabulary) table_->set(*options_.vocabulary, options_.idf_weights);
}

void IntegerLookup::adapt(const Tensor& data) {
  table_->forget();
  const std::vector<int64_t> values = ops::cast(data, DType::int64).to_vector<int64_t>();
  const int64_t rows = data.rank() == 0 ? 1 : data.dim(0);
  const int64_t length = rows == 0 ? 0 : static_cast<int64_t>(values.size()) / rows;
  for (int64_t row = 0; row < rows; ++row) {
    const auto begin = values.begin() + row * length;
    table_->count_document(std::vector<int64_t>(begin, begin + length));
  }
  table_->learn();
}

void IntegerLookup::set_vocabulary(const std::vector<int64_t>& vocabulary,
                                   const std::optional<std::vector<double>>& idf_weights) {
  table_->set(vocabulary, idf_weights);
}

std::vector<int64_t> IntegerLookup::get_vocabulary(bool include_special_tokens) const {
  return table_->vocabulary(include_special_tokens);
}

void IntegerLookup::expect_vocabulary(int64_t size) { table_->expect(size); }

void IntegerLookup::restore_vocabulary(const std::vector<std::string>& tokens) {
  std::vector<int64_t> numbers;
  for (const std::string& token : tokens) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    if (error != std::errc() || end != token.data() + token.size()) {
      throw ValueError("IntegerLookup: expected a vocabulary of integers. Received: '" + token +
                       "'.");
    }
    numbers.push_back(number);
  }
  table_->restore(std::move(numbers));
}

int64_t IntegerLookup::vocabulary_size() const { return table_->size(); }

/// Index in the vocabulary, -1 for unknown tokens: binary search in ops, so that a traced program
/// holds the table as a constant.
Tensor IntegerLookup::find(const Tensor& x) const {
  const std::vector<int64_t>& tokens = table_->tokens();
  const auto count = static_cast<int64_t>(tokens.size());
  if (count == 0) return ops::full(x.shape(), Tensor::full(DType::int64, {}, -1.0), DType::int64);
  std::vector<int64_t> order(tokens.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return tokens[static_cast<size_t>(a)] < tokens[static_cast<size_t>(b)];
  });
  std::vector<int64_t> keys;
  for (const int64_t i : order) keys.push_back(tokens[static_cast<size_t>(i)]);
  const Tensor sorted = Tensor::of(keys);
  Tensor below = ops::full(x.shape(), Tensor::full(DType::int64, {}, 0.0), DType::int64);
  int64_t step = 1;
  while (step * 2 <= count) step *= 2;
  for (; step > 0; step /= 2) {
    const Tensor next = below + step;
    const Tensor key = ops::take(sorted, ops::minimum(next, count) - 1);
    const Tensor goes = ops::logical_and(ops::less_equal(next, count), ops::less_equal(key, x));
    below = ops::where(goes, next, below);
  }
  const Tensor at = ops::maximum(below - 1, 0);
  const Tensor known =
      ops::logical_and(ops::greater(below, 0), ops::equal(ops::take(sorted, at), x));
  const Tensor index = ops::take(Tensor::of(order), at) + rules_of<int64_t>(options_).token_start();
  return ops::where(known, index, Tensor::full(DType::int64, {}, -1.0));
}

Tensor IntegerLookup::place_unknown(const Tensor& x) const {
  const int64_t start = rules_of<int64_t>(options_).oov_start();
  if (options_.num_oov_indices == 1)
    return Tensor::full(DType::int64, {}, static_cast<double>(start));
  if (options_.oov_method == "farmhash") {
    return ops::hash_bin(x, options_.num_oov_indices, options_.salt) + start;
  }
  return ops::mod(x, options_.num_oov_indices) + start;
}

Tensor IntegerLookup::token_of(const Tensor& x) const {
  const std::vector<int64_t> all = table_->vocabulary(true);
  const auto start = rules_of<int64_t>(options_).token_start();
  const auto count = static_cast<int64_t>(all.size());
  const Tensor oov = Tensor::of<int64_t>({options_.oov_token}, {});
  Tensor token = oov;
  if (count > 0) {
    const Tensor inside = ops::logical_and(ops::greater_equal(x, start), ops::less(x, count));
    token = ops::where(inside, ops::take(Tensor::of(all), ops::clip(x, 0, count - 1)), oov);
  }
  if (!options_.mask_token) return token;
  return ops::where(ops::equal(x, 0), Tensor::of<int64_t>({*options_.mask_token}, {}), token);
}

Tensor IntegerLookup::call(const Tensor& input, const CallOptions&) {
  const Tensor x = ops::cast(input, DType::int64);
  if (options_.invert) return token_of(x);
  Tensor index = find(x);
  if (options_.mask_token) {
    // Where tokens are counted, the mask counts nowhere.
    const int64_t mask = options_.output_mode == "int" ? 0 : std::numeric_limits<int64_t>::max();
    index = ops::where(ops::equal(x, Tensor::of<int64_t>({*options_.mask_token}, {})),
                       Tensor::of<int64_t>({mask}, {}), index);
  }
  const Tensor unknown = ops::equal(index, Tensor::full(DType::int64, {}, -1.0));
  if (options_.num_oov_indices > 0) {
    index = ops::where(unknown, place_unknown(x), index);
  } else if (index.is_value() && ops::any(unknown).item() != 0) {
    throw ValueError(
        "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values, consider "
        "setting `num_oov_indices=1`. Received: inputs=" +
        x.str());
  }
  return encode_lookup(*table_, options_.output_mode, index);
}

Json IntegerLookup::get_config() const {
  Json config = config_of(*this, options_);
  config.erase("has_input_vocabulary");
  write_vocabulary(config, *table_, options_.output_mode,
                   rules_of<int64_t>(options_).token_start());
  return config;
}

VariableStore IntegerLookup::save_own_variables() const { return idf_store(*table_); }

void IntegerLookup::load_own_variables(const VariableStore& store) { restore_idf(*table_, store); }

LayerClasses integer_lookup_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<IntegerLookup>(lookup_from_config<IntegerLookup, IntegerLookupOptions>)};
  return kClasses;
}

}  // namespace antler
