#pragma once

#include "antler/core/variable_shards.h"

// A program reads a divided array as a concatenation of its parts, and writes each part as a slice.
// If the parts lie along an axis of a mesh, both name it in the attribute "mesh_axis", so that the
// compiler computes with the parts (compiler/passes/partition.cpp). Without that pass they are what
// they say.
namespace antler::ops {

/// Divides the storage of `variable`: each part becomes a variable, and programs read and write
/// these. Everywhere else it stays one variable of the whole shape. Does nothing for an empty
/// sharding. Throws ValueError if it is divided already, and as check_sharding().
void divide(const Variable& variable, const Sharding& sharding);
/// Divides `variable` as `reference` is, if both have the same shape. Each part is kept beside that
/// of `reference`.
void divide_like(const Variable& variable, const Variable& reference);

/// Its parts, in row-major order of their places.
Tensors split_shards(const Tensor& x, const Sharding& sharding);
/// The array that has these parts.
Tensor join_shards(const Tensors& parts, const Sharding& sharding);

}  // namespace antler::ops
