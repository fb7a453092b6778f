#pragma once

#include <cstdint>
#include <string>

namespace antler::estimator {

/// What a model_fn builds a graph for (tf.estimator.ModeKeys).
enum class ModeKeys : uint8_t { train, eval, predict };

/// TensorFlow's string of the mode: "train", "eval", "infer".
std::string mode_name(ModeKeys mode);

}  // namespace antler::estimator
