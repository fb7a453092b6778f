#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/nest.h"
#include "antler/data/data_source.h"
#include "antler/data/shuffle.h"

namespace antler::data {

/// Options of array_source().
struct ArraySourceOptions {
  int64_t batch_size = 32;  ///< rows; the last batch of a pass may have fewer
  /// With "batch", an incomplete last batch stays the last one.
  ShuffleSpec shuffle = false;
  uint64_t seed = 0;  ///< of the permutations; equal seeds give equal orders on all machines
  /// Weight of each class 0, 1, ... n-1; empty: none.
  std::map<int64_t, double> class_weight = {};
};

/// Batches of arrays in memory, with one sample per row (axis 0). Leaves may be undefined, and `y`
/// and `sample_weight` may be undefined as a whole.
///
/// float64 arrays are converted to float32 once; others are not copied. `class_weight` is
/// multiplied into `sample_weight`, or replaces it if there is none. The class of a sample is the
/// index of the largest entry along the last axis of `y` if that axis has more than one entry, else
/// `y` rounded.
///
/// Throws ValueError for arrays of different lengths, without rows or of rank 0; for a batch size
/// below 1; for class weights whose keys are not 0..n-1 or that lack a class of `y`; and for class
/// weights with several outputs or without `y`.
std::unique_ptr<DataSource> array_source(const Nest& x, const Nest& y, const Nest& sample_weight,
                                         const ArraySourceOptions& options = {});
ANTLER_KEYWORD_FUNCTION(array_source, ArraySourceOptions, const Nest&, const Nest&, const Nest&)

/// The first floor(n * (1 - fraction)) rows of each array, and the other rows. Both share the
/// memory of the arrays. Throws ValueError unless 0 < fraction < 1, if a part would be empty, and
/// for arrays of different lengths.
std::pair<Nest, Nest> split_tail(const Nest& arrays, double fraction);

}  // namespace antler::data
