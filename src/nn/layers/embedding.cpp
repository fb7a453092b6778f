#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"
#include "nn/quantization/layer_kernel.h"
#include "nn/quantization/quantization_fields.h"

namespace antler {

template <class V>
void fields(V& v, EmbeddingOptions& o) {
  embedding_fields(v, o);
  v.legacy("input_length", o.input_length);
}

namespace {

void check_dim(int64_t value, const char* what) {
  if (value > 0) return;
  throw ValueError("`{}` must be a positive integer. Received: {}={}.", what, what, value);
}

void check_weights(const EmbeddingOptions& options) {
  const Shape expected = {options.input_dim, options.output_dim};
  if (options.weights.empty()) return;
  if (options.weights.size() == 1 && options.weights[0].shape() == expected) return;
  throw ValueError(
      "Embedding: `weights` must be a list of one array of shape {}. Received: {}", expected,
      options.weights.size() == 1 ? options.weights[0].shape().str()
                                  : std::to_string(options.weights.size()) + " arrays");
}

/// Throws IndexError if an index with a known value is out of range. Compiled programs do not check
/// indices.
void check_indices(const Layer& layer, const Tensor& indices, int64_t rows) {
  if (!indices.is_value() || indices.size() == 0) return;
  const auto check = [&](const auto* values) {
    const auto [low, high] = std::minmax_element(values, values + indices.size());
    if (*low >= -rows && *high < rows) return;
    throw IndexError("Layer \"{}\": the index {} is not in [0, {}).", layer.name(),
                     *high < rows ? *low : *high, rows);
  };
  if (indices.dtype() == DType::int32) {
    check(indices.data<int32_t>());
  } else {
    check(indices.data<int64_t>());
  }
}

}  // namespace

Embedding::Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options)
    : Embedding(by_position<&EmbeddingOptions::input_dim, &EmbeddingOptions::output_dim>(
          "Embedding", std::move(options), input_dim, output_dim)) {}

Embedding::Embedding()
    : Embedding(EmbeddingOptions{.input_dim = 1, .output_dim = 1, .name = kUnassigned}) {
  set_unassigned();
}
Embedding::Embedding(const EmbeddingOptions& options) : LayerOf(options) {
  check_dim(options_.input_dim, "input_dim");
  check_dim(options_.output_dim, "output_dim");
  check_weights(options_);
  set_autocast(false);
  set_supports_masking(options_.mask_zero);
}

void Embedding::build(const Shape&) {
  build_kernel(*kernel_, {.weight = {.shape = {options_.input_dim, options_.output_dim},
                                     .initializer = options_.embeddings_initializer,
                                     .regularizer = options_.embeddings_regularizer,
                                     .constraint = options_.embeddings_constraint,
                                     .name = "embeddings"},
                          .config = options_.quantization_config,
                          .scales = ScaleLayout::of_matrix(1),
                          .int4 = {.contracted = 1}});
  if (!options_.weights.empty()) set_weights(options_.weights);
  add_lora(options_.lora_rank);  // Keras drops lora_alpha here, too
}

bool Embedding::can_quantize(const std::string& mode) const {
  return mode == "int8" || mode == "int4";
}

Tensor Embedding::call(const Tensor& input, const CallOptions&) {
  const bool is_index = input.dtype() == DType::int32 || input.dtype() == DType::int64;
  const Tensor indices = is_index ? input : ops::cast(input, DType::int32);
  check_indices(*this, indices, options_.input_dim);
  return kernel_->rows(indices, compute_dtype());
}

Tensor Embedding::compute_mask(const Nest& inputs, const Tensor&) {
  if (!options_.mask_zero) return {};
  return ops::not_equal(inputs.tensor(), Tensor(0));
}

Json Embedding::get_config() const { return config_of(*this, kernel_->described(options_)); }

LayerClasses embedding_layers() { return layer_classes<Embedding>(); }

}  // namespace antler
