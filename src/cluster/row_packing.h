#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <training.pb.h>

#include "antler/core/tensor.h"

/// Rows that only one of several tasks needs are sent only to or from that task. An array with a
/// RowFilter is sent as one bit per row, followed by the rows whose bits are set.
namespace antler::cluster {

/// Filters by the index of their value; none for values that are sent whole.
using RowFilters = std::vector<std::optional<RowFilter>>;

/// Throws ValueError for a filter that does not fit the values or uses none of the `id_arrays`.
RowFilters filters_of(const google::protobuf::RepeatedPtrField<RowFilter>& filters,
                      const std::vector<TensorSpec>& values, size_t id_arrays);

/// Appends the elements of `value`, or those of its rows that the filter selects by ids, which are
/// among `id_arrays`.
void append_rows(const Tensor& value, const std::optional<RowFilter>& filter,
                 const Tensors& id_arrays, std::string& bytes);

/// New arrays from consecutive results of append_rows(). Rows that were not sent are zeros; ids
/// that were not sent are -1. Throws ValueError if the bytes do not fit.
Tensors split_rows(std::string_view bytes, const std::vector<TensorSpec>& specs,
                   const RowFilters& filters);

}  // namespace antler::cluster
