#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/optional_shape.h"
#include "antler/core/shape.h"
#include "antler/core/tensor.h"
#include "antler/nn/activation.h"

/// Arguments of the models of keras.applications, with Keras's names. Fields with the same name
/// mean the same in all structs.
namespace antler::applications {

/// Argument type of `.weights`: "imagenet", a file, or None or nullptr for no weights.
class Pretrained : public std::optional<std::string> {
 public:
  using optional::optional;
  Pretrained() = default;
  Pretrained(std::nullptr_t) {}                   // NOLINT(google-explicit-constructor)
  Pretrained(std::optional<std::string> weights)  // NOLINT(google-explicit-constructor)
      : optional(std::move(weights)) {}
};

/// Options of most models.
struct ApplicationOptions {
  /// Whether the model ends with the classifier.
  bool include_top = true;
  /// "imagenet": pretrained weights, which are downloaded unless they are in Keras's cache. A path:
  /// read by Model::load_weights(). Not given: random.
  Pretrained weights = "imagenet";
  /// A placeholder to use as input; undefined: a new Input of `input_shape`.
  Tensor input_tensor = {};
  /// [height, width, channels]. Default: the native size with the top, else any size with 3
  /// channels.
  OptionalShape input_shape = {};
  /// Output of a model without top. Not given: [rows, columns, channels]. "avg" or "max": global
  /// pooling to [channels].
  std::optional<std::string> pooling = {};
  int64_t classes = 1000;                                ///< outputs of the classifier
  ActivationFunction classifier_activation = "softmax";  ///< {}: logits
  std::optional<std::string> name = {};                  ///< default: Keras's name of the model
};

/// Options of MobileNet.
struct MobileNetOptions {
  OptionalShape input_shape = {};           ///< [height, width, channels]
  double alpha = 1;                         ///< width multiplier: scales the filters of each layer
  int64_t depth_multiplier = 1;             ///< outputs per channel of the depthwise convolutions
  double dropout = 1e-3;                    ///< rate before the classifier
  bool include_top = true;                  ///< whether the model ends with the classifier
  Pretrained weights = "imagenet";          ///< "imagenet", a file, or none
  Tensor input_tensor = {};                 ///< a placeholder to use as input
  std::optional<std::string> pooling = {};  ///< without top: "avg", "max", or none
  int64_t classes = 1000;                   ///< outputs of the classifier
  ActivationFunction classifier_activation = "softmax";  ///< {}: logits
  std::optional<std::string> name = {};
};

/// Options of MobileNetV2.
struct MobileNetV2Options {
  OptionalShape input_shape = {};           ///< [height, width, channels]
  double alpha = 1;                         ///< as in MobileNetOptions
  bool include_top = true;                  ///< whether the model ends with the classifier
  Pretrained weights = "imagenet";          ///< "imagenet", a file, or none
  Tensor input_tensor = {};                 ///< a placeholder to use as input
  std::optional<std::string> pooling = {};  ///< without top: "avg", "max", or none
  int64_t classes = 1000;                   ///< outputs of the classifier
  ActivationFunction classifier_activation = "softmax";  ///< {}: logits
  std::optional<std::string> name = {};
};

/// Options of MobileNetV3Small and MobileNetV3Large.
struct MobileNetV3Options {
  OptionalShape input_shape = {};   ///< default: any size, also with the top
  double alpha = 1;                 ///< as in MobileNetOptions
  bool minimalistic = false;        ///< without squeeze-and-excite, hard swish and 5x5 convolutions
  bool include_top = true;          ///< whether the model ends with the classifier
  Pretrained weights = "imagenet";  ///< "imagenet", a file, or none
  Tensor input_tensor = {};         ///< a placeholder to use as input
  int64_t classes = 1000;           ///< outputs of the classifier
  std::optional<std::string> pooling = {};               ///< without top: "avg", "max", or none
  double dropout_rate = 0.2;                             ///< rate before the classifier
  ActivationFunction classifier_activation = "softmax";  ///< {}: logits
  bool include_preprocessing = true;  ///< starts with a Rescaling from [0, 255] to [-1, 1]
  std::optional<std::string> name = {};
};

/// Options of EfficientNetV2*.
struct EfficientNetV2Options {
  bool include_top = true;                  ///< whether the model ends with the classifier
  Pretrained weights = "imagenet";          ///< "imagenet", a file, or none
  Tensor input_tensor = {};                 ///< a placeholder to use as input
  OptionalShape input_shape = {};           ///< [height, width, channels]
  std::optional<std::string> pooling = {};  ///< without top: "avg", "max", or none
  int64_t classes = 1000;                   ///< outputs of the classifier
  ActivationFunction classifier_activation = "softmax";  ///< {}: logits
  bool include_preprocessing = true;  ///< true: the model takes images in [0, 255]
  std::optional<std::string> name = {};
};

/// Options of ConvNeXt*.
struct ConvNeXtOptions {
  bool include_top = true;  ///< whether the model ends with the classifier
  bool include_preprocessing =
      true;  ///< starts with a Normalization of [0, 255] if there are 3 channels
  Pretrained weights = "imagenet";                       ///< "imagenet", a file, or none
  Tensor input_tensor = {};                              ///< a placeholder to use as input
  OptionalShape input_shape = {};                        ///< [height, width, channels]
  std::optional<std::string> pooling = {};               ///< without top: "avg", "max", or none
  int64_t classes = 1000;                                ///< outputs of the classifier
  ActivationFunction classifier_activation = "softmax";  ///< {}: logits
  std::optional<std::string> name = {};
};

}  // namespace antler::applications
