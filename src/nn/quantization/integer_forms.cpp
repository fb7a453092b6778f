#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/quantization/kernel_form.h"

namespace antler {
namespace {

/// Shared by int8 and int4, which store integers and a scale.
class IntegerForm : public KernelForm {
 public:
  IntegerForm(KernelSpecPtr spec, std::optional<AbsMaxQuantizer> inputs)
      : KernelForm(std::move(spec)), inputs_(std::move(inputs)) {}

  Tensor product(const Tensor& x, DType dtype, bool) const override {
    QuantizedFactor kernel = factor(dtype);
    kernel.inputs = inputs_;
    kernel.kernel = [self = shared_from_this(), dtype] { return self->value(dtype); };
    return spec_->contraction->quantized_times(x, kernel, dtype);
  }
  bool adapts_products() const override { return true; }

 protected:
  virtual QuantizedFactor factor(DType dtype) const = 0;

  Variable kernel_;
  Variable scale_;

 private:
  std::optional<AbsMaxQuantizer> inputs_;
};

class Int8Form : public IntegerForm {
 public:
  using IntegerForm::IntegerForm;
  void add_weights(const WeightAccess& weights) override {
    const std::string& name = spec_->weight.name;
    const Shape scales = spec_->scales.apply(ops::ones(kept_shape())).shape();
    kernel_ = add_frozen(weights, name, spec_->weight.shape, "zeros", DType::int8);
    scale_ = add_frozen(weights, name + "_scale", scales, "ones");
  }
  Variables variables() const override { return {kernel_, scale_}; }
  Tensors encoded(const Tensor& kernel, const QuantizationConfig* config,
                  const InputStatistics*) const override {
    const AxisList axes(spec_->scales.reduced);
    const Quantized q = config != nullptr && config->weight_quantizer
                            ? (*config->weight_quantizer)(kernel)
                            : quantizers::abs_max_quantize(kernel, axes);
    if (!(q.scale.shape() == kept_shape())) {
      throw ValueError("The weight_quantizer gives scales of shape {} where this layer needs {}.",
                       q.scale.shape(), kept_shape());
    }
    return {q.values, spec_->scales.apply(q.scale)};
  }
  Tensor value(DType dtype) const override {
    const Tensor scale = ops::cast(scale_.value(), dtype);
    return ops::cast(kernel_.value(), dtype) / spec_->scales.undo(scale);
  }
  Tensor rows(const Tensor& indices, DType dtype) const override {
    const Tensor scale = ops::cast(ops::take(scale_.value(), indices, 0), dtype);
    return ops::cast(ops::take(kernel_.value(), indices, 0), dtype) / ops::expand_dims(scale, -1);
  }

 protected:
  QuantizedFactor factor(DType dtype) const override {
    return {kernel_.value(), ops::cast(scale_.value(), dtype)};
  }

 private:
  /// The shape of the scales before the layout is applied.
  Shape kept_shape() const {
    Shape shape = spec_->weight.shape;
    for (const int64_t axis : spec_->scales.reduced) shape[static_cast<int>(axis)] = 1;
    return shape;
  }
};

class Int4Form : public IntegerForm {
 public:
  Int4Form(KernelSpecPtr spec, std::optional<AbsMaxQuantizer> inputs,
           std::optional<int64_t> block_size)
      : IntegerForm(std::move(spec), std::move(inputs)),
        block_size_(block_size),
        is_matrix_(spec_->int4.shape.rank() == 0),
        shape_(is_matrix_ ? spec_->weight.shape : spec_->int4.shape) {}

  void add_weights(const WeightAccess& weights) override {
    const std::string& name = spec_->weight.name;
    Shape packed = shape_;
    packed[packed_] = (packed[packed_] + 1) / 2;
    kernel_ = add_frozen(weights, name, packed, "zeros", DType::int8);
    scale_ = add_frozen(weights, name + "_scale", scale_shape(), "ones");
    if (!block_size_) return;
    Variable& groups = *spec_->int4_groups;
    owns_groups_ = !groups.defined();
    zero_point_ = add_frozen(weights, name + "_zero", scale_shape(), "zeros",
                             owns_groups_ ? std::optional(DType::int8) : std::nullopt);
    if (!owns_groups_) return;
    const int64_t length = shape_[contracted_];
    groups = add_frozen(weights, "g_idx", {length}, "zeros", DType::float32);
    groups.store(
        ops::cast(ops::floor_divide(ops::arange(0, length), Tensor(*block_size_)), DType::float32));
  }
  Variables variables() const override {
    if (!block_size_) return {kernel_, scale_};
    if (!owns_groups_) return {kernel_, scale_, zero_point_};
    return {kernel_, scale_, zero_point_, *spec_->int4_groups};
  }
  Tensors encoded(const Tensor& kernel, const QuantizationConfig* config,
                  const InputStatistics*) const override {
    const Tensor matrix = ops::reshape(kernel, shape_);
    if (block_size_) {
      const auto turned = [&](const Tensor& t) { return contracted_ == 0 ? t : ops::transpose(t); };
      const auto grouped = quantizers::abs_max_quantize_grouped_with_zero_point(
          turned(matrix), *block_size_, {-8, 7}, DType::int8, 1e-7, true);
      return {quantizers::pack_int4(turned(grouped.values), packed_), turned(grouped.scale),
              turned(grouped.zero_point)};
    }
    const AbsMaxQuantizer usual{.axis = contracted_, .value_range = {-8, 7}};
    const auto given = config != nullptr ? config->weight_quantizer : std::nullopt;
    const Quantized q = given.value_or(usual)(matrix);
    if (q.scale.size() != shape_[1 - contracted_]) {
      throw ValueError("The weight_quantizer of this layer must have axis={}.", contracted_);
    }
    return {quantizers::pack_int4(q.values, packed_), ops::reshape(q.scale, scale_shape())};
  }
  Tensor value(DType dtype) const override {
    const Tensor scale = ops::cast(scale_.value(), dtype);
    const Tensor values = unpacked(kernel_.value());
    return ops::reshape(
        block_size_ ? values_of_groups(values, scale, zero_point_.value(),
                                       spec_->int4_groups->value(), contracted_, dtype)
                    : ops::cast(values, dtype) / ops::expand_dims(scale, contracted_ == 0 ? 0 : -1),
        spec_->weight.shape);
  }
  Tensor rows(const Tensor& indices, DType dtype) const override {
    const Tensor values = unpacked(ops::take(kernel_.value(), indices, 0));
    const Tensor scale = ops::cast(ops::take(scale_.value(), indices, 0), dtype);
    if (!block_size_) return ops::cast(values, dtype) / ops::expand_dims(scale, -1);
    return values_of_groups(values, scale, ops::take(zero_point_.value(), indices, 0),
                            spec_->int4_groups->value(), 1, dtype);
  }

 protected:
  QuantizedFactor factor(DType dtype) const override {
    if (block_size_ || !is_matrix_) return {value(dtype), {}};
    return {unpacked(kernel_.value()), ops::cast(scale_.value(), dtype)};
  }

 private:
  Shape scale_shape() const {
    if (!block_size_) return {shape_[1 - contracted_]};
    Shape shape = shape_;
    shape[contracted_] = (shape[contracted_] + *block_size_ - 1) / *block_size_;
    return shape;
  }
  /// Unpacks the given rows of the packed matrix.
  Tensor unpacked(const Tensor& packed) const {
    return quantizers::unpack_int4(packed, shape_[packed_], packed_ == 1 ? -1 : packed_);
  }
  std::optional<int64_t> block_size_;
  bool is_matrix_;
  Shape shape_;  ///< of the matrix
  int contracted_ = spec_->int4.contracted;
  int packed_ = spec_->int4.packed;
  Variable zero_point_;  ///< of blocks
  bool owns_groups_ = false;
};

}  // namespace

KernelFormPtr int8_form(KernelSpecPtr spec, std::optional<AbsMaxQuantizer> inputs) {
  return std::make_shared<Int8Form>(std::move(spec), std::move(inputs));
}

KernelFormPtr int4_form(KernelSpecPtr spec, std::optional<AbsMaxQuantizer> inputs,
                        std::optional<int64_t> block_size) {
  return std::make_shared<Int4Form>(std::move(spec), std::move(inputs), block_size);
}

}  // namespace antler
