#pragma once

#include <array>
#include <cstdint>

#include "antler/core/shape.h"
#include "antler/core/tensor.h"
#include "antler/ir/attrs.h"
#include "antler/ir/op_def.h"

/// A convolution as a set of triples (element of x, element of the kernel, element of y). The
/// forward pass and both gradients are sums over this set:
///     y += x * w        dx += dy * w        dw += x * dy
namespace antler::ops {

extern const ir::OpDef kConv;
extern const ir::OpDef kConvInputGrad;
extern const ir::OpDef kConvFilterGrad;

/// Emit ops with the attributes of a conv; other attributes are ignored.
Tensor conv_with(const Tensor& x, const Tensor& w, const ir::Attrs& attrs);
Tensor conv_input_grad_with(const Tensor& dy, const Tensor& w, const ir::Attrs& attrs,
                            const Shape& input_shape);
Tensor conv_filter_grad_with(const Tensor& x, const Tensor& dy, const ir::Attrs& attrs,
                             const Shape& filter_shape);

/// Shape of y for x [n, spatial..., c_in] and w [spatial..., c_in / groups, c_out]. Throws
/// ValueError if they do not fit.
Shape conv_output_shape(const char* op, const Shape& x, const Shape& w, const ir::Attrs& attrs);
/// Throws TypeError unless both dtypes are the same floating-point dtype.
void check_conv_dtypes(const char* op, DType a, DType b);

/// One spatial dimension.
struct ConvDimension {
  int64_t input = 1;
  int64_t kernel = 1;
  int64_t output = 1;
  int64_t stride = 1;
  int64_t pad_low = 0;
  int64_t lhs_dilation = 1;
  int64_t rhs_dilation = 1;

  /// The input element that kernel element k of output element o reads; -1 for padding and for gaps
  /// of a dilated input.
  int64_t input_at(int64_t o, int64_t k) const {
    const int64_t spread = o * stride - pad_low + k * rhs_dilation;
    if (spread < 0 || spread % lhs_dilation != 0 || spread / lhs_dilation >= input) return -1;
    return spread / lhs_dilation;
  }
};

/// All sizes. With fewer than three spatial dimensions, the leading ones have size 1.
struct ConvGeometry {
  ConvGeometry(const Shape& x, const Shape& w, const ir::Attrs& attrs);

  int64_t batch;
  int64_t groups;
  int64_t group_inputs;   ///< channels of x in one group
  int64_t group_outputs;  ///< channels of y in one group
  std::array<ConvDimension, 3> dims;

  /// Calls f(index in x, index in w, index in y) for every product of the convolution.
  template <class F>
  void for_each_product(F&& f) const {
    const auto& [d0, d1, d2] = dims;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t o0 = 0; o0 < d0.output; ++o0)
        for (int64_t o1 = 0; o1 < d1.output; ++o1)
          for (int64_t o2 = 0; o2 < d2.output; ++o2)
            for (int64_t k0 = 0; k0 < d0.kernel; ++k0)
              for (int64_t k1 = 0; k1 < d1.kernel; ++k1)
                for (int64_t k2 = 0; k2 < d2.kernel; ++k2) {
                  const int64_t i0 = d0.input_at(o0, k0);
                  const int64_t i1 = d1.input_at(o1, k1);
                  const int64_t i2 = d2.input_at(o2, k2);
                  if (i0 < 0 || i1 < 0 || i2 < 0) continue;
                  const int64_t x_at = ((n * d0.input + i0) * d1.input + i1) * d2.input + i2;
                  const int64_t w_at = (k0 * d1.kernel + k1) * d2.kernel + k2;
                  const int64_t y_at = ((n * d0.output + o0) * d1.output + o1) * d2.output + o2;
                  for_each_channel(x_at, w_at, y_at, f);
                }
  }

 private:
  template <class F>
  void for_each_channel(int64_t x_at, int64_t w_at, int64_t y_at, F&& f) const {
    const int64_t outputs = groups * group_outputs;
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t ci = 0; ci < group_inputs; ++ci)
        for (int64_t co = 0; co < group_outputs; ++co)
          f((x_at * groups + g) * group_inputs + ci,
            (w_at * group_inputs + ci) * outputs + g * group_outputs + co,
            y_at * outputs + g * group_outputs + co);
  }
};

}  // namespace antler::ops
