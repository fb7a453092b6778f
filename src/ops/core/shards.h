#pragma once

#include "antler/core/variable_shards.h"

// A program reads a divided array as a concatenation of its parts, and writes each part as a slice.
// If the parts belong to devices along an axis of a mesh, both ops have the axis in the attribute
// "mesh_axis", so that the compiler can compute with the parts (compiler/passes/partition.cpp).
// Without that pass they are an ordinary concatenation and ordinary slices.
namespace antler::ops {

/// Divides the storage of `variable`: each part becomes a variable, which programs read and write.
/// Everywhere else it stays one variable with the whole shape. Does nothing for an empty sharding.
/// Throws ValueError if the variable is already divided, and the errors of check_sharding().
void divide(const Variable& variable, const Sharding& sharding);
/// Divides `variable` as `reference` is divided, if both have the same shape. Each part is stored
/// with the corresponding part of `reference`.
void divide_like(const Variable& variable, const Variable& reference);

/// The parts of `x`, in row-major order of their positions.
Tensors split_shards(const Tensor& x, const Sharding& sharding);
/// The inverse of split_shards().
Tensor join_shards(const Tensors& parts, const Sharding& sharding);

}  // namespace antler::ops
