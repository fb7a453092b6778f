#include <cmath>
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
TrainTest digits(const DigitsOptions& options) {
  constexpr float kWhite = 16;
  const Split all = image_split(io::parse_idx(embedded::digits_images()),
                                io::parse_idx(embedded::digits_labels()), kWhite, "digits");
  const auto count = static_cast<size_t>(all.y.size());
  const double fraction = options.test_fraction;
  if (!(fraction > 0 && fraction < 1)) {
    throw ValueError("digits: `test_fraction` must be between 0 and 1. Received: {}.", fraction);
  }
  std::vector<int64_t> order(count);
  random_permutation(order, options.seed, 0);
  const auto train = static_cast<size_t>(std::floor(static_cast<double>(count) * (1 - fraction)));
  const auto head = std::span(order).first(train);
  const auto tail = std::span(order).subspan(train);
  return {{take_rows(all.x, head), take_rows(all.y, head)},
          {take_rows(all.x, tail), take_rows(all.y, tail)}};
}

}  // namespace antler::data
