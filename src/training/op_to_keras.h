#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/nn/functional_graph.h"
#include "nn/op_layer.h"

namespace antler::training {

/// The operation of keras.ops that stands for an op in Keras's files.
struct KerasCall {
  std::string class_name;
  Json config = Json::object();  ///< arguments of its constructor
  bool takes_list = false;       ///< whether the operands are passed as a single list
  Json key = nullptr;            ///< further argument after the operands, unless null
};

/// `node` is a call of `layer`. Throws NotImplementedError, naming the op, if keras.ops has no
/// equivalent.
KerasCall keras_call_of(const OpLayer& layer, const GraphNode& node);

}  // namespace antler::training
