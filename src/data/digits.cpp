#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/datasets.h"
#include "antler/io/idx.h"
#include "data/embedded.h"
#include "data/gather.h"
#include "data/image_split.h"
#include "data/permutation.h"

namespace antler::data {
namespace {

Tensor take(const Tensor& t, std::span<const int64_t> rows) {
  Shape shape = t.shape();
  const size_t row_bytes = t.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = static_cast<int64_t>(rows.size());
  Tensor result = Tensor::empty(t.dtype(), shape);
  gather_rows(static_cast<std::byte*>(result.mutable_data()),
              static_cast<const std::byte*>(t.data()), row_bytes, rows.data(), shape[0]);
  return result;
}

}  // namespace

TrainTest digits(const DigitsOptions& options) {
  constexpr float kWhite = 16;
  const Split all = image_split(io::parse_idx(embedded::digits_images()),
                                io::parse_idx(embedded::digits_labels()), kWhite, "digits");
  const auto count = static_cast<size_t>(all.y.size());
  const double fraction = options.test_fraction;
  if (!(fraction > 0 && fraction < 1)) {
    throw ValueError("digits: `test_fraction` must be between 0 and 1. Received: " +
                     std::to_string(fraction) + ".");
  }
  std::vector<int64_t> order(count);
  random_permutation(order, options.seed, 0);
  const auto train = static_cast<size_t>(std::floor(static_cast<double>(count) * (1 - fraction)));
  const std::span<const int64_t> head(order.data(), train);
  const std::span<const int64_t> tail(order.data() + train, count - train);
  return {{take(all.x, head), take(all.y, head)}, {take(all.x, tail), take(all.y, tail)}};
}

}  // namespace antler::data
