#include "antler/distribute/device_mesh.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "antler/base/error.h"
#include "antler/distribute/tpu_strategy.h"
#include "antler/runtime/config.h"
#include "base/strings.h"
#include "distribute/devices.h"
#include "distribute/process_environment.h"
#include "distribute/process_group.h"

namespace antler::distribution {
namespace {

std::optional<int64_t> g_cpu_devices;

int64_t checked_count(int64_t count, const char* source) {
  if (count >= 1) return count;
  throw ValueError("{}: the number of devices must be positive. Received: {}.", source, count);
}

int64_t local_devices() {
  if (g_cpu_devices) return *g_cpu_devices;
  constexpr const char* kVariable = "ANTLER_CPU_DEVICES";
  if (const auto count = distribute::environment_integer(kVariable))
    return checked_count(*count, kVariable);
  if (config::device() == "cpu") return 1;
  const distribute::TPUClusterResolver resolver(config::device());
  return resolver.num_accelerators().at("TPU");
}

std::string quoted(const std::vector<std::string>& names) {
  return "[" + join(names, ", ", [](const std::string& name) { return "'" + name + "'"; }) + "]";
}

}  // namespace

void set_cpu_devices(int64_t count) { g_cpu_devices = checked_count(count, "set_cpu_devices"); }

int64_t get_device_count(const std::string& device_type) {
  if (!device_type.empty() && to_lower(device_type) != "cpu") {
    throw RuntimeError("No devices of type \"{}\" are available. Expected: \"cpu\".", device_type);
  }
  return local_devices() * num_processes();
}

std::vector<std::string> list_devices(const std::string& device_type) {
  std::vector<std::string> devices;
  const int64_t count = get_device_count(device_type);
  for (int64_t i = 0; i < count; ++i) devices.push_back(format("cpu:{}", i));
  return devices;
}

DeviceMesh::DeviceMesh(Shape shape, std::vector<std::string> axis_names,
                       std::vector<std::string> devices)
    : shape_(std::move(shape)), axis_names_(std::move(axis_names)), devices_(std::move(devices)) {
  if (shape_.empty() || axis_names_.empty()) {
    throw ValueError(
        "DeviceMesh: `shape` and `axis_names` cannot be empty. Received: shape={}, axis_names={}.",
        shape_, quoted(axis_names_));
  }
  if (static_cast<size_t>(shape_.rank()) != axis_names_.size()) {
    throw ValueError(
        "DeviceMesh: `shape` and `axis_names` must have the same size. Received: shape={}, "
        "axis_names={}.",
        shape_, quoted(axis_names_));
  }
  for (auto name = axis_names_.begin(); name != axis_names_.end(); ++name) {
    if (std::find(axis_names_.begin(), name, *name) == name) continue;
    throw ValueError("DeviceMesh: `axis_names` must not contain duplicates. Received: {}.",
                     quoted(axis_names_));
  }
  if (devices_.empty()) devices_ = list_devices();
  const bool is_known = std::all_of(shape_.begin(), shape_.end(), [](int64_t n) { return n >= 1; });
  if (!is_known || shape_.num_elements() != static_cast<int64_t>(devices_.size())) {
    throw ValueError(
        "DeviceMesh: `shape` does not match the number of devices. Received: shape={}, {} "
        "device(s).",
        shape_, devices_.size());
  }
  distribute::distinct_devices("DeviceMesh", devices_);
}

bool DeviceMesh::has_axis(const std::string& name) const {
  return std::find(axis_names_.begin(), axis_names_.end(), name) != axis_names_.end();
}

int64_t DeviceMesh::axis_size(const std::string& name) const {
  const auto found = std::find(axis_names_.begin(), axis_names_.end(), name);
  if (found == axis_names_.end()) {
    throw ValueError("The mesh has no axis \"{}\". Its axes: {}.", name, quoted(axis_names_));
  }
  return shape_[static_cast<int>(found - axis_names_.begin())];
}

std::string DeviceMesh::str() const {
  return format("<DeviceMesh shape={}, axis_names={}>", shape_, quoted(axis_names_));
}

std::ostream& operator<<(std::ostream& out, const DeviceMesh& mesh) { return out << mesh.str(); }

}  // namespace antler::distribution
