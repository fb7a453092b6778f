#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/nest.h"

namespace antler::data {

/// Groups of arrays with the names that messages use.
using NamedArrays = std::vector<std::pair<std::string, Nest>>;

/// Throws ValueError for a leaf of rank 0 and, listing the sizes group by group, for leaves that
/// differ in their number of rows (axis 0).
void check_same_rows(const NamedArrays& groups);

/// The number of rows (axis 0) that all defined leaves have. Throws ValueError for a leaf of rank
/// 0, and, listing the sizes group by group, when they differ or are zero or when there is no leaf.
int64_t common_rows(const NamedArrays& groups);

/// Keras's rule for arrays: float64 becomes float32, others stay.
Tensor to_float32(const Tensor& t);

}  // namespace antler::data
