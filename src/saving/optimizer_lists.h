#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/optimizer.h"

namespace antler::saving {

/// Where a slot of an optimizer stands in Keras's object: in which list (without the underscore
/// that some optimizers put before its name), and at which place.
struct SlotPlace {
  std::string list;
  int64_t index = 0;
};

/// Of each variable after the iterations and the learning rate. Keras 2 and Keras 3 have the same
/// lists, unlike the list of all variables. None for optimizers with a slot that is in no list.
std::optional<std::vector<SlotPlace>> slot_places(const Optimizer& optimizer);

}  // namespace antler::saving
