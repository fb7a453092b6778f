#include "antler/applications/imagenet_utils.h"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/data/utils/get_file.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "applications/class_index.h"

namespace antler::applications {
namespace {

constexpr int64_t kClasses = 1000;

const Json& class_index() {
  static const Json index = Json::parse(read_file(
      utils::get_file({.fname = "imagenet_class_index.json",
                       .origin = "https://storage.googleapis.com/download.tensorflow.org/data/"
                                 "imagenet_class_index.json",
                       .file_hash = "c2c37ea517e94d9795004a39431a14cb",
                       .cache_subdir = "models"})));
  return index;
}

/// Throws ValueError unless there is a row of 1000 scores per sample.
void check_predictions(const Tensor& preds) {
  if (preds.rank() != 2 || preds.shape()[1] != kClasses) {
    throw ValueError(
        "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, "
        "1000)). Received array with shape: {}",
        preds.shape());
  }
}

}  // namespace

std::vector<std::vector<ImagenetPrediction>> decode_with(const Json& index, const Tensor& preds,
                                                         int top) {
  const std::vector<double> scores = preds.to_doubles();
  const auto count = static_cast<std::ptrdiff_t>(std::clamp<int64_t>(top, 0, kClasses));
  std::vector<std::vector<ImagenetPrediction>> result;
  for (auto row = scores.begin(); row != scores.end(); row += kClasses) {
    std::vector<std::ptrdiff_t> order(kClasses);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return row[a] > row[b]; });
    std::vector<ImagenetPrediction>& best = result.emplace_back();
    for (auto it = order.begin(); it != order.begin() + count; ++it) {
      const Json& entry = index.at(std::to_string(*it));
      best.push_back({entry.at(0), entry.at(1), row[*it]});
    }
  }
  return result;
}

std::vector<std::vector<ImagenetPrediction>> decode_predictions(const Tensor& preds, int top) {
  check_predictions(preds);
  return decode_with(class_index(), preds, top);
}

namespace imagenet_utils {

Tensor preprocess_input(const Tensor& x, const PreprocessOptions& options) {
  const std::string& mode = options.mode;
  if (mode != "caffe" && mode != "tf" && mode != "torch") {
    throw ValueError("Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={}",
                     mode);
  }
  const bool channels_first = options.data_format == "channels_first";
  if (!channels_first && options.data_format != "channels_last") {
    throw ValueError(
        "Expected data_format to be one of `channels_first` or `channels_last`. Received: "
        "data_format={}",
        options.data_format);
  }
  const Tensor images = is_floating(x.dtype()) ? x : ops::cast(x, DType::float32);
  if (mode == "tf") return images / Tensor(127.5) - Tensor(1.0);
  const Shape aligned = channels_first ? Shape{3, 1, 1} : Shape{3};
  const auto channels = [&](const std::vector<float>& values) {
    return ops::cast(Tensor::of<float>(values, aligned), images.dtype());
  };
  if (mode == "torch") {
    return (images / Tensor(255.0) - channels({0.485F, 0.456F, 0.406F})) /
           channels({0.229F, 0.224F, 0.225F});
  }
  const Tensor bgr = ops::reverse(images, {images.rank() - (channels_first ? 3 : 1)});
  return bgr - channels({103.939F, 116.779F, 123.68F});
}

}  // namespace imagenet_utils

Tensor resnet::preprocess_input(const Tensor& x, const std::string& data_format) {
  return imagenet_utils::preprocess_input(x, {.data_format = data_format, .mode = "caffe"});
}

Tensor resnet_v2::preprocess_input(const Tensor& x, const std::string& data_format) {
  return imagenet_utils::preprocess_input(x, {.data_format = data_format, .mode = "tf"});
}

Tensor densenet::preprocess_input(const Tensor& x, const std::string& data_format) {
  return imagenet_utils::preprocess_input(x, {.data_format = data_format, .mode = "torch"});
}

Tensor mobilenet_v3::preprocess_input(const Tensor& x, const std::string&) { return x; }

}  // namespace antler::applications
