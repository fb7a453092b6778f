#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/variable.h"

namespace antler {

/// One dimension of a variable that is divided into equal parts, one per device along an axis of a
/// mesh of devices.
struct ShardedDimension {
  int dimension = 0;
  int64_t parts = 1;
  std::string mesh_axis;
  friend bool operator==(const ShardedDimension&, const ShardedDimension&) = default;
};
/// By increasing dimension; empty: not divided.
using Sharding = std::vector<ShardedDimension>;

/// What a divided variable consists of. Programs read and write the parts; how they do so is known
/// to ops (divide() in ops/core/shards.h).
class VariableShards {
 public:
  virtual ~VariableShards() = default;
  /// The symbolic value of the variable.
  virtual Tensor traced_value() const = 0;
  /// Assigns a symbolic value.
  virtual void assign_traced(const Tensor& value) const = 0;

  Sharding sharding;
  Variables parts;  ///< in row-major order of their places
};

/// The sharding of a variable; empty if it is not divided.
Sharding sharding_of(const Variable& variable);

/// The shape of each part of an array. Throws ValueError; `what` names the array.
Shape part_shape(const std::string& what, const Shape& shape, const Sharding& sharding);
/// The parts of a value, and the value of parts.
Tensors parts_of_value(const Tensor& value, const Sharding& sharding);
Tensor value_of_parts(const Tensors& parts, const Sharding& sharding);

}  // namespace antler
