#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/nn/loss.h"
#include "antler/nn/optimizer.h"
#include "antler/training/callback.h"

/// Objects on the command line: a name with optional settings, like "adam",
/// "adam:learning_rate=1e-3,clipnorm=1", "early_stopping:patience=3".
namespace antler::cli {

struct ObjectSpec {
  std::string name;
  Json options;
};

/// The value of an option: JSON, or a string if the text is not valid JSON.
Json parse_value(const std::string& text);

/// Values are parsed as JSON; anything that is not valid JSON is a string. Throws ValueError for an
/// option without "=".
ObjectSpec parse_object(const std::string& text);

/// An optimizer or loss by its Keras name; options override its defaults. Throw ValueError for an
/// unknown name or option.
OptimizerPtr make_optimizer(const std::string& text);
Loss make_loss(const std::string& text);
/// A callback by its class name, in snake case ("reduce_lr_on_plateau") or as in Keras.
CallbackHandle make_callback(const std::string& text);

}  // namespace antler::cli
