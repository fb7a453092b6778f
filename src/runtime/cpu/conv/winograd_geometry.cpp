#include <algorithm>

#include "base/ceil_div.h"
#include "runtime/cpu/conv/winograd.h"
#include "runtime/cpu/conv/winograd_transforms.h"

namespace antler::runtime {
namespace {

// Measured cost of the transforms in GEMM multiply-adds: per channel of a tile, and per pair of
// channels for the filter, which goes through memory several times.
constexpr int64_t kInputWork = 250;
constexpr int64_t kOutputWork = 250;
constexpr int64_t kFilterWork = 900;
// Required speedup: it must outweigh the larger rounding error and the error of these estimates.
constexpr double kMinSpeedup = 1.4;

/// Number of points of all tiles along a dimension.
int64_t points_along(int64_t outputs, bool small) {
  const int64_t tiles = ceil_div(outputs, kWinogradTile);
  const bool last_is_small = small && ends_in_small_tile(outputs);
  return tiles * kWinogradInputs - (last_is_small ? kWinogradInputs - kWinogradSmallInputs : 0);
}

bool is_plain(const ops::ConvDimension& d) {
  return d.stride == 1 && d.lhs_dilation == 1 && d.rhs_dilation == 1;
}

}  // namespace

bool WinogradGeometry::accepts(const ops::ConvGeometry& g, ConvOp op) {
  const auto& [d0, d1, d2] = g.dims;
  if (g.groups != 1 || !is_plain(d0) || !is_plain(d1) || !is_plain(d2)) return false;
  if (d0.kernel != 1 || d0.pad_low != 0 || d0.input != d0.output) return false;
  if (d1.kernel != 3 || d2.kernel != 3) return false;
  const int64_t images = g.batch * d0.input;
  const bool is_input_grad = op == ConvOp::input_grad;
  const int64_t rows = is_input_grad ? d1.input : d1.output;
  const int64_t columns = is_input_grad ? d2.input : d2.output;
  const int64_t pairs = g.group_inputs * g.group_outputs;
  const int64_t tiles = images * ceil_div(rows, kWinogradTile) * ceil_div(columns, kWinogradTile);
  const bool small = op != ConvOp::filter_grad;
  const int64_t points = images * points_along(rows, small) * points_along(columns, small);
  const int64_t work = points * pairs +
                       tiles * (kInputWork * winograd_padded(g.group_inputs) +
                                kOutputWork * winograd_padded(g.group_outputs)) +
                       kFilterWork * g.group_inputs * winograd_padded(g.group_outputs);
  const int64_t direct = images * d1.output * d2.output * 9 * pairs;
  return tiles > 0 && static_cast<double>(direct) >= kMinSpeedup * static_cast<double>(work);
}

WinogradGeometry::WinogradGeometry(const ops::ConvGeometry& g, bool is_input_grad)
    : micro_(&micro_kernels<float>()),
      images_(g.batch * g.dims[0].input),
      in_rows_(g.dims[1].input),
      in_columns_(g.dims[2].input),
      out_rows_(g.dims[1].output),
      out_columns_(g.dims[2].output),
      pad_top_(g.dims[1].pad_low),
      pad_left_(g.dims[2].pad_low),
      inputs_(g.group_inputs),
      outputs_(g.group_outputs) {
  if (is_input_grad) {
    std::swap(in_rows_, out_rows_);
    std::swap(in_columns_, out_columns_);
    std::swap(inputs_, outputs_);
    pad_top_ = 2 - pad_top_;
    pad_left_ = 2 - pad_left_;
  }
  tile_rows_ = ceil_div(out_rows_, kWinogradTile);
  tile_columns_ = ceil_div(out_columns_, kWinogradTile);
  zeros_.resize(static_cast<size_t>(std::max(inputs_, outputs_)));
}

WinogradGeometry::Place WinogradGeometry::place(int64_t tile) const {
  const int64_t in_image = tile % tiles_of_image();
  return {.image = tile / tiles_of_image(),
          .row = in_image / tile_columns_ * kWinogradTile,
          .column = in_image % tile_columns_ * kWinogradTile};
}

void WinogradGeometry::transform_input(const float* x, const Place& place, WinogradSize size,
                                       int64_t first, int64_t count, float* to,
                                       int64_t point_step) const {
  std::array<const float*, kWinogradPoints> at;
  const int rows = size.small_rows ? kWinogradSmallInputs : kWinogradInputs;
  const int columns = size.small_columns ? kWinogradSmallInputs : kWinogradInputs;
  const float* const image = x + place.image * in_rows_ * in_columns_ * inputs_ + first;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = place.row - pad_top_ + i;
    const bool in_image = row >= 0 && row < in_rows_;
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t column = place.column - pad_left_ + j;
      at[static_cast<size_t>(kWinogradInputs * i + j)] =
          in_image && column >= 0 && column < in_columns_
              ? image + (row * in_columns_ + column) * inputs_
              : zeros_.data();
    }
  }
  winograd_input(at, size, count, to, point_step);
}

void WinogradGeometry::multiply(const Product& product) const {
  const int64_t chunks = ceil_div(product.rows, micro_->rows);
  for (int64_t i = 0; i < chunks; ++i) {
    const int64_t first = product.rows * i / chunks;
    const int64_t rows = product.rows * (i + 1) / chunks - first;
    const float* const a = product.a + first * product.a_row_stride;
    float* const c = product.c + first * product.c_row_stride;
    if (product.columns > micro_->lanes) {
      micro_->kernel(rows, product.columns)(
          product.k, a, product.a_row_stride, product.a_col_stride, product.b, product.b_row_stride,
          c, product.c_row_stride, product.columns, product.accumulate);
      continue;
    }
    static constexpr int64_t kNoOffset = 0;
    std::array<int64_t, kMaxMicroRows> c_row_offsets;
    for (int64_t r = 0; r < rows; ++r)
      c_row_offsets[static_cast<size_t>(r)] = r * product.c_row_stride;
    micro_->run_indirect(rows, {.a = a,
                                .a_row_offsets = &kNoOffset,
                                .a_row_stride = product.a_row_stride,
                                .segment_offsets = &kNoOffset,
                                .depth = product.k,
                                .a_col_stride = product.a_col_stride,
                                .b = product.b,
                                .b_row_stride = product.b_row_stride,
                                .c = c,
                                .c_row_offsets = c_row_offsets.data(),
                                .columns = product.columns,
                                .accumulate = product.accumulate});
  }
}

}  // namespace antler::runtime
