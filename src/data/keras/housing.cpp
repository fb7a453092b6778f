#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/keras_datasets.h"
#include "antler/io/npy.h"
#include "data/gather.h"
#include "data/keras/dataset_file.h"
#include "data/numpy_shuffle.h"

namespace antler::datasets {
namespace {

TrainTest load_housing(const HousingOptions& options, const std::string& name,
                       const std::string& hash, int64_t at_most) {
  check_test_split(options.test_split);
  const std::string path = dataset_path({.name = options.path.empty() ? name : options.path,
                                         .origin = kKerasOrigin + name,
                                         .hash = hash});
  Tensor x;
  Tensor y;
  for (const auto& [key, array] : io::load_npz(path)) {
    if (key == "x") x = array;
    if (key == "y") y = array;
  }
  if (!x.defined() || !y.defined() || x.rank() < 1 || y.rank() < 1 ||
      x.shape()[0] != y.shape()[0]) {
    throw IOError("'{}': expected arrays x and y with as many rows.", path);
  }
  const int64_t count = at_most > 0 ? std::min(at_most, x.shape()[0]) : x.shape()[0];
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  data::numpy_shuffle(order, options.seed);
  const auto trained = static_cast<size_t>(static_cast<double>(count) * (1 - options.test_split));
  const auto head = std::span<const int64_t>(order).first(trained);
  const auto tail = std::span<const int64_t>(order).subspan(trained);
  return {{data::take_rows(x, head), data::take_rows(y, head)},
          {data::take_rows(x, tail), data::take_rows(y, tail)}};
}

}  // namespace

TrainTest boston_housing::load_data(const HousingOptions& options) {
  return load_housing(options, "boston_housing.npz",
                      "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5", 0);
}

TrainTest california_housing::load_data(const std::string& version, const HousingOptions& options) {
  constexpr int64_t kSmall = 600;
  if (version != "small" && version != "large") {
    throw ValueError("Argument `version` must be one of 'small', 'large'. Received: version={}",
                     version);
  }
  return load_housing(options, "california_housing.npz",
                      "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f",
                      version == "small" ? kSmall : 0);
}

}  // namespace antler::datasets
