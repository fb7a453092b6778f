#include "runtime/cpu/window/window_geometry.h"

namespace antler::runtime {

std::optional<WindowGeometry> WindowGeometry::of(const Shape& x, const Shape& out,
                                                 const ir::Attrs& attrs) {
  const ir::Ints& window = attrs.ints("window");
  const ir::Ints& strides = attrs.ints("strides");
  const ir::Ints& dilations = attrs.ints("dilations");
  const ir::Ints& low = attrs.ints("pad_low");
  const auto plain = [&](size_t d) {
    return window[d] == 1 && x.dims()[d] == out.dims()[d] &&
           (strides[d] == 1 || x.dims()[d] <= 1) && low[d] == 0;
  };
  size_t first = 0;
  size_t last = window.size();
  WindowGeometry result;
  while (last > first && plain(last - 1)) result.channels *= x.dims()[--last];
  while (first < last && plain(first)) result.batch *= x.dims()[first++];
  if (last - first > result.dims.size()) return std::nullopt;
  for (size_t d = first; d < last; ++d) {
    result.dims[result.dims.size() - (last - d)] = {.in = x.dims()[d],
                                                    .out = out.dims()[d],
                                                    .window = window[d],
                                                    .stride = strides[d],
                                                    .dilation = dilations[d],
                                                    .low = low[d]};
  }
  return result;
}

}  // namespace antler::runtime
