#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// The body of a loop, split into independent parts: part p computes rows
/// [p * rows / parts, (p + 1) * rows / parts) of every value that has rows. In practice rows are
/// samples of a batch.
struct RowSplit {
  ir::Graph body;                   ///< for the rows of one part
  std::vector<char> input_is_cut;   ///< one per input: dimension 0 is the rows; else each
                                    ///< part reads all of it
  std::vector<char> output_is_cut;  ///< one per output; an output that is not cut is the same in
                                    ///< each part
};

/// Splits the body of a scan into `parts`. None if its rows depend on each other or cannot be
/// identified. `num_arguments`: inputs that are carries or slices of xs, the first
/// `num_carry` of them carries; the others are captures. `rows` must be divisible by `parts`.
std::optional<RowSplit> split_rows(const ir::Graph& body, size_t num_carry, size_t num_arguments,
                                   int64_t rows, int64_t parts);

/// Into how many parts to split a scan over this body; 1 if threads would not pay off. Depends on
/// shapes only, so that results do not depend on the number of threads.
int64_t row_parts(const ir::Graph& body, size_t num_carry, int64_t length);

/// The number of rows of the carries of a body; 0 if they differ.
int64_t carried_rows(const ir::Graph& body, size_t num_carry);

}  // namespace antler::compiler
