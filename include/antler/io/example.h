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

/// tf.train.Example, the message type in TensorFlow's record files.
namespace antler::io {

/// Values of a feature: byte strings, floats or integers. A feature without a list is an empty list
/// of strings.
using Feature = std::variant<std::vector<std::string>, std::vector<float>, std::vector<int64_t>>;
/// Features by name.
using Example = std::map<std::string, Feature>;

/// An example with lists of features, one feature per step.
struct SequenceExample {
  Example context;
  std::map<std::string, std::vector<Feature>> feature_lists;
};

/// Serializes an example. Features are sorted by name, so equal examples give equal bytes.
std::string format_example(const Example& example);
std::string format_sequence_example(const SequenceExample& example);
/// Parses a serialized example. If a name occurs twice, the last one wins. Throws IOError.
Example parse_example(std::string_view message);
SequenceExample parse_sequence_example(std::string_view message);

/// How a feature becomes a tensor (tf.io.FixedLenFeature, tf.io.VarLenFeature).
///  - Floats and integers are converted to `dtype`; there must be as many of them as `shape` has
///    elements.
///  - A feature with one byte string holds the elements of `dtype` in little-endian order
///    (tf.io.decode_raw).
/// One dimension of `shape` may be unknown; it follows from the number of values.
struct FeatureSpec {
  Shape shape = {};
  DType dtype = DType::float32;
  /// The value for an example without the feature. If undefined, such an example is an error.
  Tensor default_value = {};
};
using FeatureSpecs = std::vector<std::pair<std::string, FeatureSpec>>;

/// A dictionary of tensors, as from tf.io.parse_single_example. Throws ValueError, which names the
/// feature, if a feature is missing or does not match its spec.
Nest decode_example(const Example& example, const FeatureSpecs& specs);
/// The reverse: the elements of each tensor as floats or integers. Throws TypeError for a nest that
/// is not a dictionary of tensors.
Example encode_example(const Nest& tensors);

}  // namespace antler::io
