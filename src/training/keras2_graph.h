#pragma once

#include "antler/base/json.h"

namespace antler::training {

/// Converts the calls of a functional model's configuration ("layers", "input_layers" and
/// "output_layers" in Keras 3's form) to Keras 2's lists of [layer, node, tensor, arguments]. Calls
/// that such lists cannot express are kept, and then also all calls that use outputs of nested
/// models.
///
/// Keras 2 and 3 both read these lists, but only Keras 2 counts a model's own graph as its first
/// call. Each call of a nested model is therefore written twice, so that the indices 1, 3, 5, ...
/// mean the same calls in both; the unused duplicates are ignored.
void write_keras2_graph(Json& config);

}  // namespace antler::training
