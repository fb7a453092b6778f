#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/nest.h"

namespace antler::data {

/// Groups of arrays with the names that messages use.
using NamedArrays = std::vector<std::pair<std::string, Nest>>;

/// Throws ValueError for a leaf of rank 0, and for leaves with different numbers of rows (axis 0);
/// the message lists the row counts of each group.
void check_same_rows(const NamedArrays& groups);

/// The number of rows (axis 0) of all defined leaves. Throws like check_same_rows(), and if there
/// are no rows or no leaves.
int64_t common_rows(const NamedArrays& groups);

/// Row `index` of `t` without axis 0. Shares the memory of `t`.
Tensor row_view(const Tensor& t, int64_t index);
/// `count` rows of `t` from row `first` on. Shares the memory of `t`.
Tensor rows_view(const Tensor& t, int64_t first, int64_t count);
/// The same, but copied if programs cannot read them in place (BatchFeed::kLentAlignment).
Tensor rows_of(const Tensor& t, int64_t first, int64_t count);

/// Points `buffer` to the memory of `t`, or copies into `buffer` if programs cannot read it in
/// place.
void lend_or_copy(const Tensor& t, void*& buffer);

/// Converts float64 to default_float(); leaves other dtypes unchanged.
Tensor to_default_float(const Tensor& t);

}  // namespace antler::data
