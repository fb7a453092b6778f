#pragma once

#include <cstdint>

#include "antler/data/dataset.h"
#include "antler/nn/layers/adaptable.h"

namespace antler {

/// Keras's `layer.adapt(dataset, steps=...)`: adapts the layer to the first `steps` batches of a
/// data set (-1: all). If an element is a list such as [x, y], its first part is used. Strings are
/// handles (string_handles()). All batches are held in memory while the layer adapts. Throws
/// ValueError for an empty data set, and for an infinite one without `steps`.
void adapt(Adaptable& layer, const data::Dataset& batches, int64_t steps = -1);

}  // namespace antler
