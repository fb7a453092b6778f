#pragma once

#include <cstdint>
#include <string>

namespace antler::estimator {

/// The purpose for which a model_fn builds a graph (tf.estimator.ModeKeys).
enum class ModeKeys : uint8_t { train, eval, predict };

/// TensorFlow's string of the mode: "train", "eval", "infer".
std::string mode_name(ModeKeys mode);

}  // namespace antler::estimator
