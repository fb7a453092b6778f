#include "ops/nn/conv_geometry.h"

#include <algorithm>
#include <string>
#include <vector>

#include "antler/base/error.h"

namespace antler::ops {
namespace {

bool all_at_least(const ir::Ints& values, size_t count, int64_t least) {
  return values.size() == count &&
         std::all_of(values.begin(), values.end(), [&](int64_t v) { return v >= least; });
}

/// The extent of n elements with `dilation`.
int64_t dilated_size(int64_t n, int64_t dilation) { return n == 0 ? 0 : (n - 1) * dilation + 1; }

}  // namespace

void check_conv_dtypes(const char* op, DType a, DType b) {
  if (a == b && is_floating(a)) return;
  throw TypeError(
      "ops::{}: both operands must have the same floating-point dtype. Received: {} and {}", op,
      dtype_name(a), dtype_name(b));
}

Shape conv_output_shape(const char* op, const Shape& x, const Shape& w, const ir::Attrs& attrs) {
  const auto fail = [&](const std::string& expected) {
    throw ValueError("ops::{}: {}. Received: x.shape={}, kernel.shape={}, {}", op, expected, x, w,
                     attrs.str());
  };
  if (x.rank() < 3 || x.rank() > 5 || w.rank() != x.rank()) {
    fail(
        "expected x [n, spatial..., c_in] and kernel [spatial..., c_in / groups, c_out] with 1 to "
        "3 spatial dimensions");
  }
  const auto spatial = static_cast<size_t>(x.rank() - 2);
  const ir::Ints& strides = attrs.ints("strides");
  const ir::Ints& low = attrs.ints("pad_low");
  const ir::Ints& high = attrs.ints("pad_high");
  const ir::Ints& lhs = attrs.ints("lhs_dilation");
  const ir::Ints& rhs = attrs.ints("rhs_dilation");
  const int64_t groups = attrs.integer("groups");
  if (!all_at_least(strides, spatial, 1) || !all_at_least(lhs, spatial, 1) ||
      !all_at_least(rhs, spatial, 1) || low.size() != spatial || high.size() != spatial) {
    fail("strides and dilations must be positive, one number for each spatial dimension");
  }
  if (groups < 1 || w.dim(-2) * groups != x.back() || w.back() % groups != 0) {
    fail(
        "the number of input channels must be groups times the kernel's, and the number of "
        "output channels a multiple of groups");
  }
  std::vector<int64_t> dims = {x[0]};
  for (size_t i = 0; i < spatial; ++i) {
    if (w.dims()[i] < 1) fail("the kernel must not be empty");
    const int64_t padded = dilated_size(x.dims()[i + 1], lhs[i]) + low[i] + high[i];
    const int64_t room = padded - dilated_size(w.dims()[i], rhs[i]);
    dims.push_back(room < 0 ? 0 : room / strides[i] + 1);
  }
  dims.push_back(w.back());
  return Shape(std::move(dims));
}

ConvGeometry::ConvGeometry(const Shape& x, const Shape& w, const ir::Attrs& attrs)
    : batch(x[0]),
      groups(attrs.integer("groups")),
      group_inputs(w.dim(-2)),
      group_outputs(w.back() / groups) {
  const Shape y = conv_output_shape("conv", x, w, attrs);
  const auto spatial = static_cast<size_t>(x.rank() - 2);
  for (size_t i = 0; i < spatial; ++i) {
    dims[dims.size() - spatial + i] = {.input = x.dims()[i + 1],
                                       .kernel = w.dims()[i],
                                       .output = y.dims()[i + 1],
                                       .stride = attrs.ints("strides")[i],
                                       .pad_low = attrs.ints("pad_low")[i],
                                       .lhs_dilation = attrs.ints("lhs_dilation")[i],
                                       .rhs_dilation = attrs.ints("rhs_dilation")[i]};
  }
}

}  // namespace antler::ops
