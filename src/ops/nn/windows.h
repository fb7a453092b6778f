#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/shape.h"
#include "antler/core/tensor.h"
#include "antler/ir/attrs.h"
#include "antler/ir/op_def.h"
#include "antler/ops/nn/pooling.h"
#include "ops/strided.h"

namespace antler::ops {

extern const ir::OpDef kReduceWindow;
extern const ir::OpDef kSelectAndScatterAdd;
extern const ir::OpDef kSelectWindow;

const char* window_op_name(WindowOp op);
/// Throws ValueError for an unknown name.
WindowOp parse_window_op(const char* op, const std::string& name);

/// Shape of reduce_window(x). Throws ValueError if the attributes do not fit x.
Shape window_output_shape(const char* op, const Shape& x, const ir::Attrs& attrs);

/// Whether windows are adjacent, without padding or dilation, so that each element is in at most
/// one.
bool windows_are_disjoint(const ir::Attrs& attrs);

/// Calls f(output index, x index, whether it is the first call for its window) for all elements of
/// all windows, except padding, in row-major order of the output and then of the window.
template <class F>
void for_each_window_element(const Shape& x, const Shape& out, const ir::Attrs& attrs, F&& f) {
  const Shape window(attrs.ints("window"));
  const ir::Ints& window_strides = attrs.ints("strides");
  const ir::Ints& dilations = attrs.ints("dilations");
  const ir::Ints& low = attrs.ints("pad_low");
  const std::vector<int64_t> x_strides = x.strides();
  for_each_index(out, [&](int64_t o, const std::vector<int64_t>& place) {
    bool first = true;
    for_each_index(window, [&](int64_t, const std::vector<int64_t>& k) {
      int64_t position = 0;
      for (size_t d = 0; d < k.size(); ++d) {
        const int64_t at = place[d] * window_strides[d] - low[d] + k[d] * dilations[d];
        if (at < 0 || at >= x.dims()[d]) return;
        position += at * x_strides[d];
      }
      f(o, position, first);
      first = false;
    });
  });
}

/// The first function returns zeros in the shape of x, with each element of dy added at the
/// position of its window's extremum in x. The second one is its adjoint: it reads g at these
/// positions. `attrs` are those of a reduce_window.
Tensor select_and_scatter_add_with(const Tensor& x, const Tensor& dy, const ir::Attrs& attrs);
Tensor select_window_with(const Tensor& x, const Tensor& g, const ir::Attrs& attrs);

}  // namespace antler::ops
