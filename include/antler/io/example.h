#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/nest.h"

/// tf.train.Example, the messages that TensorFlow's record files hold.
namespace antler::io {

/// Values of a feature: texts (or any bytes), floats or integers. One that has no list at all is an
/// empty list of texts.
using Feature = std::variant<std::vector<std::string>, std::vector<float>, std::vector<int64_t>>;
/// Features by name.
using Example = std::map<std::string, Feature>;

/// An example with lists of features, one a step.
struct SequenceExample {
  Example context;
  std::map<std::string, std::vector<Feature>> feature_lists;
};

/// The bytes of the message. Features stand in order of their names, so equal examples give equal
/// bytes.
std::string format_example(const Example& example);
std::string format_sequence_example(const SequenceExample& example);
/// The reverse; of a name that occurs twice the last one counts. Throws IOError.
Example parse_example(std::string_view message);
SequenceExample parse_sequence_example(std::string_view message);

/// How a feature becomes a tensor (tf.io.FixedLenFeature, tf.io.VarLenFeature).
///  - Floats and integers are converted to `dtype`; there must be as many as `shape` holds.
///  - A feature of one text, with any `dtype`, gives the elements whose bytes the text is, lowest
///    byte first (tf.io.decode_raw).
/// One unknown dimension takes what there is.
struct FeatureSpec {
  Shape shape = {};
  DType dtype = DType::float32;
  /// For an example without the feature. Not given: such an example is an error.
  Tensor default_value = {};
};
using FeatureSpecs = std::vector<std::pair<std::string, FeatureSpec>>;

/// A dictionary of tensors, as tf.io.parse_single_example gives it. Throws ValueError that names
/// the feature for one that is missing, or has other values or another count than its spec.
Nest decode_example(const Example& example, const FeatureSpecs& specs);
/// The reverse: each tensor as floats or integers, in its order. Throws TypeError for a nest that
/// is no dictionary of tensors.
Example encode_example(const Nest& tensors);

}  // namespace antler::io
