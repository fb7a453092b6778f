#pragma once

#include "antler/base/json.h"

namespace antler::training {

/// Writes the calls of a functional model's configuration (its "layers", "input_layers" and
/// "output_layers", in Keras 3's form) as Keras 2's lists of [layer, node, tensor, arguments],
/// where these can say it; other calls stay as they are, and so do then all that take outputs of
/// models inside of the model.
///
/// Both Keras 2 and Keras 3 read these lists, but Keras 2 counts a model's own graph as its first
/// call and Keras 3 does not. So each call of an inner model stands there twice: the numbers 1, 3,
/// 5
/// ... mean the same call in both ways of counting, and the one that nobody asks for is dropped.
void write_keras2_graph(Json& config);

}  // namespace antler::training
