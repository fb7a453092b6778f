#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/nest.h"

namespace antler::training {

/// Concatenates the outputs of batches along axis 0, leaf by leaf; scalars are stacked. A leaf
/// whose batches differ in more than their rows (Keras 2 makes a ragged tensor) becomes the list of
/// its rows.
class OutputCollector {
 public:
  /// `rows`: how many are expected; 0 = unknown. Right, nothing is copied twice.
  explicit OutputCollector(int64_t rows = 0) : expected_rows_(rows) {}

  /// Throws ValueError for leaves whose dtype or rank is not that of the first batch, and for
  /// another structure.
  void append(const Nest& batch);
  /// Undefined when nothing was appended.
  Nest finish();
  void clear();

 private:
  struct Leaf {
    Tensor array;  // room for `capacity` rows
    int64_t rows = 0;
    int64_t capacity = 0;
    std::vector<Nest> ragged;  // all rows, once one came that does not fit into `array`
  };
  static void append_rows(Leaf& leaf, const Tensor& value);

  int64_t expected_rows_;
  Nest structure_;
  std::vector<Leaf> leaves_;
};

}  // namespace antler::training
