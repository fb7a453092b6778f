#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/optional_shape.h"
#include "antler/core/shape.h"
#include "antler/core/tensor.h"
#include "antler/nn/activation.h"

/// Arguments of the models of keras.applications, under Keras's names. Fields that several structs
/// have mean the same in each.
namespace antler::applications {

/// Of most models.
struct ApplicationOptions {
  /// Whether the layers that classify are at the end of the model.
  bool include_top = true;
  /// "imagenet": trained on ImageNet; these are downloaded, unless they are in Keras's cache. A
  /// path: read by Model::load_weights(). Nothing: random.
  std::optional<std::string> weights = "imagenet";
  /// A placeholder to build upon; undefined: a new Input of `input_shape`.
  Tensor input_tensor = {};
  /// [height, width, channels]; not given: the model's own with the top, else any size of 3
  /// channels.
  OptionalShape input_shape = {};
  /// What ends a model without top: nothing (images [rows, columns, channels]), "avg" or "max" over
  /// rows and columns ([channels]).
  std::optional<std::string> pooling = {};
  int64_t classes = 1000;                                ///< size of the output of the top
  ActivationFunction classifier_activation = "softmax";  ///< of the top; {}: logits
  std::optional<std::string> name = {};                  ///< of the model; not given: Keras's
};

/// Of MobileNet.
struct MobileNetOptions {
  OptionalShape input_shape = {};
  double alpha = 1;              ///< filters of each layer are as many times those of the paper
  int64_t depth_multiplier = 1;  ///< outputs per channel of the depthwise convolutions
  double dropout = 1e-3;
  bool include_top = true;
  std::optional<std::string> weights = "imagenet";
  Tensor input_tensor = {};
  std::optional<std::string> pooling = {};
  int64_t classes = 1000;
  ActivationFunction classifier_activation = "softmax";
  std::optional<std::string> name = {};
};

/// Of MobileNetV2.
struct MobileNetV2Options {
  OptionalShape input_shape = {};
  double alpha = 1;  ///< as of MobileNet
  bool include_top = true;
  std::optional<std::string> weights = "imagenet";
  Tensor input_tensor = {};
  std::optional<std::string> pooling = {};
  int64_t classes = 1000;
  ActivationFunction classifier_activation = "softmax";
  std::optional<std::string> name = {};
};

/// Of MobileNetV3Small and MobileNetV3Large.
struct MobileNetV3Options {
  OptionalShape input_shape = {};  ///< not given: any size, with the top too
  double alpha = 1;                ///< as of MobileNet
  bool minimalistic = false;       ///< without squeeze-and-excite, hard swish and 5x5 convolutions
  bool include_top = true;
  std::optional<std::string> weights = "imagenet";
  Tensor input_tensor = {};
  int64_t classes = 1000;
  std::optional<std::string> pooling = {};
  double dropout_rate = 0.2;
  ActivationFunction classifier_activation = "softmax";
  bool include_preprocessing = true;  ///< the model begins with a Rescaling of [0, 255] to [-1, 1]
  std::optional<std::string> name = {};
};

/// Of EfficientNetV2*.
struct EfficientNetV2Options {
  bool include_top = true;
  std::optional<std::string> weights = "imagenet";
  Tensor input_tensor = {};
  OptionalShape input_shape = {};
  std::optional<std::string> pooling = {};
  int64_t classes = 1000;
  ActivationFunction classifier_activation = "softmax";
  bool include_preprocessing = true;  ///< the model takes [0, 255]; false: what it was trained on
  std::optional<std::string> name = {};
};

/// Of ConvNeXt*.
struct ConvNeXtOptions {
  bool include_top = true;
  bool include_preprocessing = true;  ///< a Normalization of [0, 255], where there are 3 channels
  std::optional<std::string> weights = "imagenet";
  Tensor input_tensor = {};
  OptionalShape input_shape = {};
  std::optional<std::string> pooling = {};
  int64_t classes = 1000;
  ActivationFunction classifier_activation = "softmax";
  std::optional<std::string> name = {};
};

}  // namespace antler::applications
