#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "antler/core/tensor.h"
#include "antler/nn/quantizers.h"

namespace antler {

/// The number of int8 products whose sum float32 holds exactly: 128 * 128 * 1024 is 2^24.
inline constexpr int64_t kExactTerms = 1024;
/// x times a matrix, over the last axis of x. Products of int8 are exact, as float32 or int32.
Tensor last_axis_product(const Tensor& x, const Tensor& matrix);

/// An int8 or int4 kernel for products.
struct QuantizedFactor {
  Tensor values;  ///< int8 numbers; floats if `scale` is undefined
  Tensor scale;   ///< divisor of the product
  std::optional<AbsMaxQuantizer> inputs =
      {};                               ///< quantizes the inputs; by default they stay floats
  std::function<Tensor()> kernel = {};  ///< the kernel in floats, for the gradient
};

/// How a layer multiplies its inputs by the kernel. The base class contracts the last axis of the
/// inputs with the first axis of a matrix.
class Contraction : public std::enable_shared_from_this<Contraction> {
 public:
  virtual ~Contraction() = default;
  /// x and kernel are both floats or both int8. Products of int8 are exact, as float32 or int32.
  virtual Tensor times(const Tensor& x, const Tensor& kernel) const;
  /// If the inputs are quantized, the gradient is that of the product with the kernel in floats.
  virtual Tensor quantized_times(const Tensor& x, const QuantizedFactor& factor, DType dtype) const;
  /// x times the product of LoRA's matrices a and b. Undefined if quantized products do not include
  /// it.
  virtual Tensor lora_times(const Tensor& x, const Tensor& a, const Tensor& b) const;
  /// x with the features that calibration scales as the last axis; undefined if there are none.
  virtual Tensor features_last(const Tensor& x) const { return x; }

 protected:
  /// The contracted axes of x.
  virtual AxisList summed() const { return -1; }
  /// Scales of x, with size 1 along the summed axes, in the shape that broadcasts to the product.
  virtual Tensor scale_of_product(const Tensor& scale) const { return scale; }
  /// The gradient with respect to x.
  virtual Tensor gradient(const Tensor& gradient, const Tensor& kernel) const;
};

}  // namespace antler
