#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "antler/core/shape.h"

/// Keras's `keras.distribution`: how variables and data are laid out on a mesh of devices.
namespace antler::distribution {

/// The devices of all processes, "cpu:0", "cpu:1" and so on. `device_type` is "cpu", in upper or
/// lower case, or empty for the default. Throws RuntimeError for a type that is not available. If
/// config::device() is device K of a plug-in, the default number of devices is that of the
/// plug-in's devices from K on.
std::vector<std::string> list_devices(const std::string& device_type = "");
/// Their number.
int64_t get_device_count(const std::string& device_type = "");
/// Sets the number of virtual CPU devices of this process, like JAX's `jax_num_cpu_devices`.
/// Default: the environment variable ANTLER_CPU_DEVICES, else 1, or the number of the plug-in's
/// devices. Throws ValueError unless count >= 1.
void set_cpu_devices(int64_t count);

/// Devices in rows and columns (or along more or fewer axes), with a name for each axis:
///
///     DeviceMesh mesh({2, 4}, {"batch", "model"}, devices);
///
/// Devices are virtual CPU devices: each computes its part of a step, all in one program. If
/// config::device() is device K of a plug-in when a distribution is created, "cpu:N" is the
/// plug-in's device K + N.
class DeviceMesh {
 public:
  /// `devices` defaults to list_devices(). Throws ValueError for an empty shape or list of names,
  /// if the number of names is not the number of axes, if the devices do not fill the shape, and
  /// for a name or device given twice.
  DeviceMesh(Shape shape, std::vector<std::string> axis_names,
             std::vector<std::string> devices = {});

  const Shape& shape() const { return shape_; }
  const std::vector<std::string>& axis_names() const { return axis_names_; }
  /// In row-major order.
  const std::vector<std::string>& devices() const { return devices_; }
  /// The number of devices along an axis. Throws ValueError for an unknown name.
  int64_t axis_size(const std::string& name) const;
  bool has_axis(const std::string& name) const;

  friend bool operator==(const DeviceMesh& a, const DeviceMesh& b) = default;
  /// "<DeviceMesh shape=(2, 4), axis_names=['batch', 'model']>"
  std::string str() const;
  friend std::ostream& operator<<(std::ostream& out, const DeviceMesh& mesh);

 private:
  Shape shape_;
  std::vector<std::string> axis_names_;
  std::vector<std::string> devices_;
};

}  // namespace antler::distribution
