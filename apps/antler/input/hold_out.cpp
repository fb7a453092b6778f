#include "input/hold_out.h"

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "antler/base/error.h"
#include "data/gather.h"
#include "data/permutation.h"

namespace antler::cli {
namespace {

Samples rows_of(const Samples& all, std::span<const int64_t> rows) {
  Samples samples;
  const auto take = [&](const Tensor& array) { return data::take_rows(array, rows); };
  if (all.x.defined()) samples.x = take(all.x);
  if (all.y.defined()) samples.y = take(all.y);
  if (!all.xs.is_none()) samples.xs = all.xs.map(take);
  if (!all.ys.is_none()) samples.ys = all.ys.map(take);
  for (const int64_t row : rows) {
    const auto i = static_cast<size_t>(row);
    if (!all.files.empty()) samples.files.push_back(all.files[i]);
    if (!all.labels.empty()) samples.labels.push_back(all.labels[i]);
  }
  return samples;
}

}  // namespace

void hold_out(LoadedData& data, double fraction, HoldOut which) {
  const int64_t count = data.samples.count();
  const auto held = static_cast<int64_t>(std::floor(static_cast<double>(count) * fraction));
  if (held <= 0) return;
  if (held >= count) throw ValueError("No sample is left for training: {} of {}.", held, count);
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const bool in_time = data.plan.table && data.plan.table->window > 0;
  if (!in_time && which == HoldOut::random) data::random_permutation(order, 0, 0);
  const auto trained = std::span(order).first(static_cast<size_t>(count - held));
  const auto rest = std::span(order).last(static_cast<size_t>(held));
  data.held_out = rows_of(data.samples, rest);
  data.samples = rows_of(data.samples, trained);
}

}  // namespace antler::cli
