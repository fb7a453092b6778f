#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// The body of a loop cut into parts that never look at each other: part p computes rows
/// [p * rows / parts, (p + 1) * rows / parts) of everything that has rows, a batch of samples in
/// practice.
struct RowSplit {
  ir::Graph body;                   ///< for the rows of one part
  std::vector<char> input_is_cut;   ///< one per input: dimension 0 holds the rows; else all is read
  std::vector<char> output_is_cut;  ///< one per output; an output that is not cut is the same in
                                    ///< each part
};

/// How the body of a scan splits into `parts`, or nothing where its rows depend on each other or
/// cannot be told apart. `num_arguments`: inputs that are carries or slices of xs, the first
/// `num_carry` of them carries; the others are captures. `rows` must be divisible by `parts`.
std::optional<RowSplit> split_rows(const ir::Graph& body, size_t num_carry, size_t num_arguments,
                                   int64_t rows, int64_t parts);

/// In how many parts a scan over this body is to run: a function of shapes alone, so that results
/// do not depend on the number of threads. 1 where threads would not pay.
int64_t row_parts(const ir::Graph& body, size_t num_carry, int64_t length);

/// Rows that the carries of a body have; 0 when they have none in common.
int64_t carried_rows(const ir::Graph& body, size_t num_carry);

}  // namespace antler::compiler
