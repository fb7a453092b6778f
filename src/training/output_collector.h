#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/nest.h"

namespace antler::training {

/// Concatenates the outputs of batches along axis 0, leaf by leaf; scalars are stacked. If the
/// batches of a leaf differ in more than their number of rows, the result is the list of its rows
/// (a ragged tensor in Keras 2).
class OutputCollector {
 public:
  /// `rows`: the expected number, to avoid reallocation; 0: unknown.
  explicit OutputCollector(int64_t rows = 0) : expected_rows_(rows) {}

  /// Throws ValueError if the structure, or a leaf's dtype or rank, differs from the first batch.
  void append(const Nest& batch);
  /// Undefined if nothing was appended.
  Nest finish();
  void clear();

 private:
  struct Leaf {
    Tensor array;  // `capacity` rows
    int64_t rows = 0;
    int64_t capacity = 0;
    bool ragged = false;         // rows differ in shape
    std::vector<Nest> row_list;  // all rows, if ragged
  };
  static void append_rows(Leaf& leaf, const Tensor& value);

  int64_t expected_rows_;
  Nest structure_;
  std::vector<Leaf> leaves_;
};

}  // namespace antler::training
