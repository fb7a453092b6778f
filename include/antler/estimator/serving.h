#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/nest.h"

/// The inputs of exported models (tf.estimator.export).
namespace antler::estimator {

/// A tensor of an exported graph's inputs: dtype and shape, whose first dimension may be unknown.
/// `is_string` for strings (DType has no value for them on the wire).
struct ServingPlaceholder {
  TensorSpec spec = {};
  bool is_string = false;
};

/// How a feature is parsed from serialized tf.Examples (tf.io.FixedLenFeature).
struct FixedLenFeature {
  Shape shape = {};
  DType dtype = DType::float32;
};
using FeatureSpec = std::map<std::string, FixedLenFeature>;

/// The result of a serving_input_receiver_fn (tf.estimator.export.ServingInputReceiver): the
/// tensors that a model receives, and the features that are computed from them.
struct ServingInputReceiver {
  /// The receiver tensors by name; one without a name is called "input".
  std::vector<std::pair<std::string, ServingPlaceholder>> receiver_tensors = {};
  bool is_unnamed =
      false;  ///< there is one receiver tensor and one feature, both given without a name
  /// Computes features (and labels, see `has_labels`) from the receiver tensors, in ops.
  std::function<Nest(const Nest& receiver_tensors)> features = {};
  /// If given, the receiver is one string tensor of serialized tf.Examples that hold the features.
  std::optional<FeatureSpec> parses = {};
  /// Other names under which features may be fed: alternative -> receiver name -> feature.
  std::map<std::string, std::map<std::string, std::string>> receiver_tensors_alternatives = {};
  /// Whether labels are received, too, for training and evaluation (SupervisedInputReceiver).
  /// features() then returns [features, labels].
  bool has_labels = false;
};
using ServingInputReceiverFn = std::function<ServingInputReceiver()>;
/// Throws ValueError without receiver tensors or features.
void check_receiver(const ServingInputReceiver& receiver);

/// Serialized tf.Examples in a string placeholder "input_example_tensor", receiver key "examples".
ServingInputReceiverFn build_parsing_serving_input_receiver_fn(
    const FeatureSpec& feature_spec, std::optional<int64_t> default_batch_size = {});
/// Receives the features themselves: a spec tensor (Tensor::spec_only, with an unknown batch size),
/// or a dictionary of them.
ServingInputReceiverFn build_raw_serving_input_receiver_fn(
    const Nest& features, std::optional<int64_t> default_batch_size = {});
/// The same with labels, for experimental_export_all_saved_models.
ServingInputReceiverFn build_raw_supervised_input_receiver_fn(
    const Nest& features, const Nest& labels, std::optional<int64_t> default_batch_size = {});

}  // namespace antler::estimator
