#pragma once

#include <cstdint>

#include "antler/data/dataset.h"
#include "antler/nn/layers/adaptable.h"

namespace antler {

/// Keras's `layer.adapt(dataset, steps=...)`: learns from the batches of one pass over the data
/// set, the first `steps` of them (-1: all). Of an element that is a list, as [x, y], the first
/// part is taken. Texts are handles (text_tensor()). The sample lies in memory while the layer
/// learns. Throws ValueError for a data set without elements, and for an endless one without
/// `steps`.
void adapt(Adaptable& layer, const data::Dataset& batches, int64_t steps = -1);

}  // namespace antler
