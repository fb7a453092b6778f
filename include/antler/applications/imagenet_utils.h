#pragma once

#include <string>
#include <vector>

#include "antler/core/tensor.h"

/// keras.applications.imagenet_utils, and of each module its preprocess_input().
namespace antler::applications {

/// One of the 1000 classes, with what a model says of it.
struct ImagenetPrediction {
  std::string class_id;  ///< of WordNet: "n02504458"
  std::string name;      ///< "African_elephant"
  double score = 0;
  friend bool operator==(const ImagenetPrediction&, const ImagenetPrediction&) = default;
};

/// The `top` classes of each row of predictions [samples, 1000], best first. Their names come from
/// a file that is downloaded, unless it is in Keras's cache. Throws ValueError for another shape,
/// and what utils::get_file() throws.
std::vector<std::vector<ImagenetPrediction>> decode_predictions(const Tensor& preds, int top = 5);

namespace imagenet_utils {

/// Arguments of preprocess_input() behind the images.
struct PreprocessOptions {
  std::string data_format = "channels_last";  ///< or "channels_first"
  /// "caffe": RGB becomes BGR, minus ImageNet's means; "tf": [0, 255] becomes [-1, 1]; "torch": [0,
  /// 255] becomes [0, 1], then ImageNet's means and deviations are taken off.
  std::string mode = "caffe";
};

/// Images [..., height, width, 3] (or channels first) with numbers from 0 to 255 as a network was
/// trained on them. Integers become float32. May be called on a placeholder: then it becomes a part
/// of the model. Throws ValueError for an unknown mode or data format.
Tensor preprocess_input(const Tensor& x, const PreprocessOptions& options = {});
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
/// x: the model does it itself.
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
