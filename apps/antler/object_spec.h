#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/nn/loss.h"
#include "antler/nn/optimizer.h"
#include "antler/training/callback.h"

/// Objects as they are written on the command line: a name, then options: "adam",
/// "adam:learning_rate=1e-3,clipnorm=1", "early_stopping:patience=3".
namespace antler::cli {

struct ObjectSpec {
  std::string name;
  Json options;
};

/// Numbers, true, false and null mean what they mean in JSON; other texts are texts. Throws
/// ValueError for an option without "=".
ObjectSpec parse_object(const std::string& text);

/// An optimizer or loss of a Keras name with these options over its defaults. Throw ValueError for
/// an unknown name or option.
OptimizerPtr make_optimizer(const std::string& text);
Loss make_loss(const std::string& text);
/// A callback by its class in snake case ("reduce_lr_on_plateau") or as Keras writes it.
CallbackHandle make_callback(const std::string& text);

}  // namespace antler::cli
