#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/nn/functional_graph.h"
#include "nn/op_layer.h"

namespace antler::training {

/// An operation on placeholders as the operation of keras.ops that Keras's files name.
struct KerasCall {
  std::string class_name;
  Json config = Json::object();  ///< arguments of its constructor
  bool takes_list = false;       ///< all operands are one argument, a list
  Json key = nullptr;            ///< an argument behind the operands, unless null
};

/// Throws NotImplementedError, which names the operation, for one that keras.ops does not have in
/// this form. `node`: a call of it.
KerasCall keras_call_of(const OpLayer& layer, const GraphNode& node);

}  // namespace antler::training
