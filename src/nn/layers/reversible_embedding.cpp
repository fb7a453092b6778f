#include "antler/nn/layers/reversible_embedding.h"

#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/mask.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/layers/classes.h"
#include "nn/layers/conv_support.h"
#include "nn/quantization/layer_kernel.h"
#include "nn/quantization/quantization_fields.h"

namespace antler {

template <class V>
void fields(V& v, ReversibleEmbeddingOptions& o) {
  embedding_fields(v, o);
  v("tie_weights", o.tie_weights);
  v("reverse_dtype", o.reverse_dtype);
  v("logit_soft_cap", o.logit_soft_cap);
}

namespace {

/// The product that maps vectors to logits.
class WayBack : public Contraction {
 public:
  /// `tied`: kernels are the embeddings and must be transposed; otherwise they are already
  /// transposed.
  WayBack(bool tied, const std::optional<std::string>& dtype) : tied_(tied) {
    if (dtype) dtype_ = parse_dtype(*dtype);
  }
  Tensor times(const Tensor& x, const Tensor& kernel) const override {
    const Tensor matrix = transposed(kernel);
    if (!dtype_) return ops::tensordot(x, matrix, 1);
    return ops::tensordot(ops::cast(x, *dtype_), ops::cast(matrix, *dtype_), 1);
  }
  // As in Keras, the result has the dtype of the layer, and the gradient only flows through the
  // scale of the vectors.
  Tensor quantized_times(const Tensor& x, const QuantizedFactor& factor,
                         DType dtype) const override {
    QuantizedFactor back = factor;
    back.values = transposed(factor.values);
    if (!factor.inputs) return Contraction().quantized_times(x, back, dtype);
    const Quantized q = (*factor.inputs)(x);
    const Tensor values = ops::cast(q.values, factor.values.dtype());
    const Tensor product = ops::cast(last_axis_product(values, back.values), dtype);
    return product / (factor.scale.defined() ? q.scale * factor.scale : q.scale);
  }
  Tensor lora_times(const Tensor&, const Tensor&, const Tensor&) const override { return {}; }

 private:
  Tensor transposed(const Tensor& kernel) const { return tied_ ? ops::transpose(kernel) : kernel; }
  bool tied_;
  std::optional<DType> dtype_;
};

}  // namespace

ReversibleEmbedding::ReversibleEmbedding(int64_t input_dim, int64_t output_dim,
                                         ReversibleEmbeddingOptions options)
    : ReversibleEmbedding(by_position<&ReversibleEmbeddingOptions::input_dim,
                                      &ReversibleEmbeddingOptions::output_dim>(
          "ReversibleEmbedding", std::move(options), input_dim, output_dim)) {}

ReversibleEmbedding::ReversibleEmbedding(const ReversibleEmbeddingOptions& options)
    : LayerOf(options), reverse_(std::make_shared<LayerKernel>()) {
  check_positive(options_.input_dim, "input_dim");
  check_positive(options_.output_dim, "output_dim");
  set_autocast(false);
  set_supports_masking(options_.mask_zero);
}

void ReversibleEmbedding::build(const Shape&) {
  const std::optional<AbsMaxQuantizer> inputs = AbsMaxQuantizer();
  const KernelSpec spec{.weight = {.shape = {options_.input_dim, options_.output_dim},
                                   .initializer = options_.embeddings_initializer,
                                   .regularizer = options_.embeddings_regularizer,
                                   .constraint = options_.embeddings_constraint,
                                   .name = "embeddings"},
                        .config = options_.quantization_config,
                        .contraction = std::make_shared<WayBack>(true, options_.reverse_dtype),
                        .scales = ScaleLayout::of_matrix(1),
                        .int4 = {.contracted = 1},
                        .int4_inputs = inputs};
  build_kernel(*kernel_, spec);
  if (!options_.tie_weights) {
    build_kernel(*reverse_,
                 {.weight = {.shape = {options_.output_dim, options_.input_dim},
                             .initializer = options_.embeddings_initializer,
                             .name = "reverse_embeddings"},
                  .config = options_.quantization_config,
                  .contraction = std::make_shared<WayBack>(false, options_.reverse_dtype),
                  .int4 = {.packed = 0},
                  .int4_inputs = inputs,
                  .int4_groups = spec.int4_groups});
  }
  add_lora(options_.lora_rank);  // Keras drops lora_alpha here, too
}

std::vector<LayerKernel*> ReversibleEmbedding::kernels() const {
  return {kernel_.get(), reverse_.get()};
}

bool ReversibleEmbedding::can_quantize(const std::string& mode) const {
  return mode == "int8" || mode == "int4";
}

CallSignature ReversibleEmbedding::call_signature() const {
  return {.inputs = {"inputs"}, .keywords = {"reverse"}};
}

Tensor ReversibleEmbedding::call(const Tensor& input, const CallOptions& options) {
  if (!options.flag("reverse")) {
    const bool is_index = input.dtype() == DType::int32 || input.dtype() == DType::int64;
    const Tensor indices = is_index ? input : ops::cast(input, DType::int32);
    const Tensor vectors = kernel_->rows(indices, compute_dtype());
    return options_.mask_zero ? with_keras_mask(vectors, ops::not_equal(input, Tensor(0)))
                              : vectors;
  }
  const LayerKernel& back = options_.tie_weights ? *kernel_ : *reverse_;
  Tensor result = back.product(input, compute_dtype(), false);
  if (!options_.logit_soft_cap) return result;
  const Tensor cap(*options_.logit_soft_cap);
  return ops::tanh(result / cap) * cap;
}

Tensor ReversibleEmbedding::compute_mask(const Nest&, const Tensor&) { return {}; }

Json ReversibleEmbedding::get_config() const {
  return config_of(*this, kernel_->described(options_));
}

LayerClasses reversible_embedding_layers() { return layer_classes<ReversibleEmbedding>(); }

}  // namespace antler
