#include "antler/distribute/tensor_layout.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "antler/base/error.h"
#include "base/regex.h"
#include "base/strings.h"

namespace antler::distribution {
namespace {

std::string axis_text(const TensorLayout::Axis& axis) { return axis ? "'" + *axis + "'" : "None"; }

std::string axes_text(const std::vector<TensorLayout::Axis>& axes) {
  return "(" + join(axes, ", ", axis_text) + (axes.size() == 1 ? ",)" : ")");
}

Regex expression(const std::string& key) { return Regex(key, "LayoutMap: the key"); }

}  // namespace

TensorLayout::TensorLayout(std::vector<Axis> axes, std::optional<DeviceMesh> device_mesh)
    : axes_(std::move(axes)), device_mesh_(std::move(device_mesh)) {
  check_axes();
}

void TensorLayout::check_axes() const {
  if (!device_mesh_) return;
  for (const Axis& axis : axes_) {
    if (!axis || device_mesh_->has_axis(*axis)) continue;
    throw ValueError(
        "TensorLayout: the mesh has no axis \"{}\". Received: axes={}; valid axis names: {}.",
        *axis, axes_text(axes_), join(device_mesh_->axis_names()));
  }
}

void TensorLayout::set_device_mesh(DeviceMesh device_mesh) {
  if (device_mesh_) {
    throw ValueError("TensorLayout: cannot override the device mesh. Existing value: {}.",
                     *device_mesh_);
  }
  device_mesh_ = std::move(device_mesh);
  check_axes();
}

std::string TensorLayout::str() const {
  return format("<TensorLayout axes={}, device_mesh={}>", axes_text(axes_),
                device_mesh_ ? device_mesh_->str() : "None");
}

std::ostream& operator<<(std::ostream& out, const TensorLayout& layout) {
  return out << layout.str();
}

Sharding sharding_of(const TensorLayout& layout, const std::string& what, const Shape& shape) {
  if (!layout.device_mesh()) {
    throw ValueError("{} cannot be laid out by {}, which has no device mesh.", what, layout);
  }
  const auto& axes = layout.axes();
  if (axes.size() > static_cast<size_t>(shape.rank())) {
    throw ValueError("{} has {} dimensions, fewer than its layout {}.", what, shape.rank(), layout);
  }
  Sharding sharding;
  for (size_t d = 0; d < axes.size(); ++d) {
    if (!axes[d]) continue;
    if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(d), axes[d]) !=
        axes.begin() + static_cast<std::ptrdiff_t>(d)) {
      throw ValueError("{}: the mesh axis \"{}\" divides two dimensions in {}.", what, *axes[d],
                       layout);
    }
    const int64_t parts = layout.device_mesh()->axis_size(*axes[d]);
    if (parts > 1) sharding.push_back({static_cast<int>(d), parts, *axes[d]});
  }
  return sharding;
}

std::optional<TensorLayout> LayoutMap::get(const std::string& path) const {
  std::vector<std::string> matching;
  std::optional<TensorLayout> layout;
  for (const auto& [key, value] : entries_) {
    if (key == path) return value;
    if (!expression(key).fullmatch(path)) continue;
    matching.push_back("\"" + key + "\"");
    layout = value;
  }
  if (matching.size() <= 1) return layout;
  throw ValueError(
      "Path \"{}\" matches several keys of the LayoutMap: {}. Make sure that each path matches at "
      "most one of them.",
      path, join(matching));
}

void LayoutMap::set(const std::string& key, TensorLayout layout) {
  for (const auto& [existing, value] : entries_) {
    if (existing != key) continue;
    throw ValueError("The key \"{}\" already exists in the LayoutMap, with the value {}.", key,
                     value);
  }
  expression(key);  // throws if it is not one
  if (!layout.device_mesh()) layout.set_device_mesh(device_mesh_);
  entries_.emplace_back(key, std::move(layout));
}

void LayoutMap::erase(const std::string& key) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (found == entries_.end()) throw KeyError("The LayoutMap has no key \"{}\".", key);
  entries_.erase(found);
}

std::vector<std::string> LayoutMap::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, layout] : entries_) keys.push_back(key);
  return keys;
}

}  // namespace antler::distribution
