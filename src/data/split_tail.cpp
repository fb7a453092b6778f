#include <cmath>
#include <utility>

#include "antler/base/error.h"
#include "antler/data/array_source.h"
#include "data/rows.h"

namespace antler::data {
namespace {

/// A list of three is [x, y, sample_weight].
NamedArrays named(const Nest& arrays) {
  if (!arrays.is_list() || arrays.size() != 3) return {{"x", arrays}};
  return {{"x", arrays.at(0)}, {"y", arrays.at(1)}, {"sample_weight", arrays.at(2)}};
}

}  // namespace

std::pair<Nest, Nest> split_tail(const Nest& arrays, double fraction) {
  const int64_t rows = common_rows(named(arrays));
  if (!(fraction > 0 && fraction < 1)) {
    throw ValueError("`validation_split` must be between 0 and 1. Received: {}.", fraction);
  }
  const auto at = static_cast<int64_t>(std::floor(static_cast<double>(rows) * (1.0 - fraction)));
  if (at == 0 || at == rows) {
    throw ValueError(
        "Training data contains {} samples, which is not sufficient to split it into a validation "
        "and training set as specified by `validation_split={}`. Either provide more data, or a "
        "different value for the `validation_split` argument.",
        rows, fraction);
  }
  const auto part = [&](int64_t first, int64_t count) {
    return arrays.map(
        [&](const Tensor& t) { return t.defined() ? rows_view(t, first, count) : t; });
  };
  return {part(0, at), part(at, rows - at)};
}

}  // namespace antler::data
