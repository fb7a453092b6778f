// Permute, RepeatVector.
#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/reshaping.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, PermuteOptions& o) {
  v.required("dims", o.dims);
}

template <class V>
void fields(V& v, RepeatVectorOptions& o) {
  v.required("n", o.n);
}

Permute::Permute(std::vector<int64_t> dims, PermuteOptions options)
    : Permute(by_position<&PermuteOptions::dims>("Permute", std::move(options), std::move(dims))) {}

Permute::Permute(const PermuteOptions& options) : LayerOf(options) {
  std::vector<int64_t> sorted = options_.dims;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] == static_cast<int64_t>(i) + 1) continue;
    throw ValueError(
        "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must "
        "be consecutive and start from 1. Received dims={}",
        Shape(options_.dims));
  }
  set_input_spec({.ndim = static_cast<int>(options_.dims.size()) + 1});
}

Tensor Permute::call(const Tensor& input, const CallOptions&) {
  std::vector<int64_t> order = options_.dims;
  order.insert(order.begin(), 0);
  return ops::transpose(input, std::move(order));
}

RepeatVector::RepeatVector(int64_t n, RepeatVectorOptions options)
    : RepeatVector(by_position<&RepeatVectorOptions::n>("RepeatVector", std::move(options), n)) {}

RepeatVector::RepeatVector(const RepeatVectorOptions& options) : LayerOf(options) {
  if (options_.n <= 0) {
    throw ValueError("Argument `n` should be a positive integer. Received: n={}", options_.n);
  }
  set_input_spec({.ndim = 2});
}

Tensor RepeatVector::call(const Tensor& input, const CallOptions&) {
  return ops::repeat(ops::expand_dims(input, 1), options_.n, 1);
}

namespace {

LayerPtr repeat_vector_from_config(const Json& config) {
  if (config.contains("n") && !config["n"].is_number_integer())
    throw TypeError("Expected an integer value for `n`, got {}.", config["n"].dump());
  return RepeatVector(options_from<RepeatVectorOptions>(config, "RepeatVector")).share();
}

}  // namespace

LayerClasses permute_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<Permute>(),
      layer_class<RepeatVector>(repeat_vector_from_config),
  };
  return kClasses;
}

}  // namespace antler
