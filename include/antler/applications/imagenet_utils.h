#pragma once

#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/tensor.h"

/// keras.applications.imagenet_utils, and preprocess_input() and decode_predictions() of each
/// module.
namespace antler::applications {

/// A predicted ImageNet class.
struct ImagenetPrediction {
  std::string class_id;  ///< WordNet id: "n02504458"
  std::string name;      ///< "African_elephant"
  double score = 0;
  friend bool operator==(const ImagenetPrediction&, const ImagenetPrediction&) = default;
};

/// The `top` classes of each row of predictions [samples, 1000], best first. The class names are
/// downloaded unless they are in Keras's cache. Throws ValueError for another shape, and the errors
/// of utils::get_file().
std::vector<std::vector<ImagenetPrediction>> decode_predictions(const Tensor& preds, int top = 5);
/// `decode_predictions(preds, kw::top = 3)`.
struct TopArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int top = 5;
};
inline std::vector<std::vector<ImagenetPrediction>> decode_predictions(const Tensor& preds,
                                                                       const TopArgument& by_name) {
  return decode_predictions(preds, by_name.top);
}

namespace imagenet_utils {

/// Options of preprocess_input().
struct PreprocessOptions {
  std::string data_format = "channels_last";  ///< or "channels_first"
  /// "caffe": RGB to BGR, then subtracts the means of ImageNet. "tf": scales [0, 255] to [-1, 1].
  /// "torch": scales to [0, 1], then normalizes with the means and deviations of ImageNet.
  std::string mode = "caffe";
};

/// Preprocesses images [..., height, width, 3] (or channels first) with values in [0, 255] as in
/// the training of a network. Integers become float32. Called on a placeholder, it becomes part of
/// the model. Throws ValueError for an unknown mode or data format.
Tensor preprocess_input(const Tensor& x, const PreprocessOptions& options = {});
ANTLER_KEYWORD_FUNCTION(preprocess_input, PreprocessOptions, const Tensor&)
using applications::decode_predictions;

}  // namespace imagenet_utils

namespace resnet {
/// Mode "caffe".
Tensor preprocess_input(const Tensor& x, const std::string& data_format = "channels_last");
using applications::decode_predictions;
}  // namespace resnet
namespace resnet50 {
using resnet::decode_predictions;
using resnet::preprocess_input;
}  // namespace resnet50
namespace vgg16 {
using resnet::decode_predictions;
using resnet::preprocess_input;
}  // namespace vgg16
namespace vgg19 {
using resnet::decode_predictions;
using resnet::preprocess_input;
}  // namespace vgg19

namespace resnet_v2 {
/// Mode "tf".
Tensor preprocess_input(const Tensor& x, const std::string& data_format = "channels_last");
using applications::decode_predictions;
}  // namespace resnet_v2
namespace mobilenet {
using resnet_v2::decode_predictions;
using resnet_v2::preprocess_input;
}  // namespace mobilenet
namespace mobilenet_v2 {
using resnet_v2::decode_predictions;
using resnet_v2::preprocess_input;
}  // namespace mobilenet_v2
namespace inception_v3 {
using resnet_v2::decode_predictions;
using resnet_v2::preprocess_input;
}  // namespace inception_v3
namespace inception_resnet_v2 {
using resnet_v2::decode_predictions;
using resnet_v2::preprocess_input;
}  // namespace inception_resnet_v2
namespace xception {
using resnet_v2::decode_predictions;
using resnet_v2::preprocess_input;
}  // namespace xception
namespace nasnet {
using resnet_v2::decode_predictions;
using resnet_v2::preprocess_input;
}  // namespace nasnet

namespace densenet {
/// Mode "torch".
Tensor preprocess_input(const Tensor& x, const std::string& data_format = "channels_last");
using applications::decode_predictions;
}  // namespace densenet

namespace mobilenet_v3 {
/// Returns x: preprocessing is part of the model.
Tensor preprocess_input(const Tensor& x, const std::string& data_format = "channels_last");
using applications::decode_predictions;
}  // namespace mobilenet_v3
namespace efficientnet {
using mobilenet_v3::decode_predictions;
using mobilenet_v3::preprocess_input;
}  // namespace efficientnet
namespace efficientnet_v2 {
using mobilenet_v3::decode_predictions;
using mobilenet_v3::preprocess_input;
}  // namespace efficientnet_v2
namespace convnext {
using mobilenet_v3::decode_predictions;
using mobilenet_v3::preprocess_input;
}  // namespace convnext

}  // namespace antler::applications
