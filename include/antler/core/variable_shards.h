#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/variable.h"

namespace antler {

/// A dimension along which a variable is divided into parts: equal parts, one per device along an
/// axis of a mesh, or the parts of part_range(), which are stored in processes.
struct ShardedDimension {
  int dimension = 0;
  int64_t parts = 1;
  std::string mesh_axis;  ///< empty: without a mesh
  friend bool operator==(const ShardedDimension&, const ShardedDimension&) = default;
};
/// By increasing dimension; empty: not divided.
using Sharding = std::vector<ShardedDimension>;

/// The parts of a divided variable, which programs read and write. Implemented in ops (divide() in
/// ops/core/shards.h).
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

/// A range of indices: [begin, end).
struct PartRange {
  int64_t begin = 0;
  int64_t end = 0;
};
/// The indices of part number `part` of a dimension of `size`: the first size % parts parts have
/// one more than the others, as in TensorFlow's ShardedVariable.
PartRange part_range(int64_t size, int64_t parts, int64_t part);

/// Throws ValueError unless an array of this shape can be divided: all dimensions exist and have at
/// least one index per part, or along a mesh axis the same number for each part. `what` names the
/// array.
void check_sharding(const std::string& what, const Shape& shape, const Sharding& sharding);
/// Split a value into parts, and join parts into a value.
Tensors parts_of_value(const Tensor& value, const Sharding& sharding);
Tensor value_of_parts(const Tensors& parts, const Sharding& sharding);

}  // namespace antler
