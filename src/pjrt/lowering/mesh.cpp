#include "pjrt/lowering/mesh.h"

#include <functional>
#include <numeric>

#include "base/strings.h"
#include "pjrt/lowering/emitter.h"

namespace antler::pjrt {
namespace {

int64_t axis_size(const ops::DeviceGrid& grid, int64_t axis) {
  return axis < 0 ? 1 : grid.axis_sizes[static_cast<size_t>(axis)];
}

/// The coordinates of a device along the axes of the grid.
Ints coordinates(const ops::DeviceGrid& grid, int64_t index) {
  Ints places(grid.axis_sizes.size());
  for (size_t axis = places.size(); axis-- > 0;) {
    places[axis] = index % grid.axis_sizes[axis];
    index /= grid.axis_sizes[axis];
  }
  return places;
}

}  // namespace

int64_t device_count(const ops::DeviceGrid& grid) {
  return std::accumulate(grid.axis_sizes.begin(), grid.axis_sizes.end(), int64_t{1},
                         std::multiplies<>());
}

int64_t part_of_device(const ops::DeviceGrid& grid, const Layout& layout, int64_t index) {
  const Ints places = coordinates(grid, index);
  int64_t part = 0;
  for (const int64_t axis : layout) {
    if (axis >= 0) part = part * axis_size(grid, axis) + places[static_cast<size_t>(axis)];
  }
  return part;
}

TensorSpec part_of(const TensorSpec& whole, const ops::DeviceGrid& grid, const Layout& layout) {
  TensorSpec part = whole;
  for (size_t d = 0; d < layout.size(); ++d)
    part.shape[static_cast<int>(d)] /= axis_size(grid, layout[d]);
  return part;
}

std::string sharding_text(const ops::DeviceGrid& grid, const Layout& layout) {
  return "#sdy.sharding<@mesh, [" +
         join(layout, ", ",
              [&](int64_t axis) {
                return axis < 0 ? "{}" : "{\"" + grid.axis_names[static_cast<size_t>(axis)] + "\"}";
              }) +
         "]>";
}

std::string mesh_text(const ops::DeviceGrid& grid) {
  std::vector<std::string> axes;
  for (size_t i = 0; i < grid.axis_names.size(); ++i)
    axes.push_back("\"" + grid.axis_names[i] + "\"=" + std::to_string(grid.axis_sizes[i]));
  return "sdy.mesh @mesh = <[" + join(axes) + "]>\n";
}

}  // namespace antler::pjrt
