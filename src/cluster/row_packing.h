#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <training.pb.h>

#include "antler/core/tensor.h"

/// Rows that only one of several tasks needs are sent to or from that task only. An array with a
/// RowFilter is sent as a bit per row, followed by the rows whose bits are set.
namespace antler::cluster {

/// Filters by the index of their value; none for values that are sent whole.
using RowFilters = std::vector<std::optional<RowFilter>>;

/// Throws ValueError for a filter that does not fit the values, or names none of the `id_arrays`.
RowFilters filters_of(const google::protobuf::RepeatedPtrField<RowFilter>& filters,
                      const std::vector<TensorSpec>& values, size_t id_arrays);

/// Appends the elements of `value`, or those of its rows that the filter selects by ids, which are
/// among `id_arrays`.
void append_rows(const Tensor& value, const std::optional<RowFilter>& filter,
                 const Tensors& id_arrays, std::string& bytes);

/// New arrays of what append_rows() wrote, one behind the other. Rows that were
/// not sent are zeros; ids are -1. Throws ValueError for bytes that do not fit.
Tensors split_rows(std::string_view bytes, const std::vector<TensorSpec>& specs,
                   const RowFilters& filters);

}  // namespace antler::cluster
