#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/optimizer.h"

namespace antler::saving {

/// Where Keras stores a slot of an optimizer: the name of the list, without the underscore that
/// some optimizers put in front of it, and the index in the list.
struct SlotPlace {
  std::string list;
  int64_t index = 0;
};

/// The place of each variable after the iterations and the learning rate. These lists are the same
/// in Keras 2 and Keras 3; the list of all variables is not. Nullopt if some slot is not in a list.
std::optional<std::vector<SlotPlace>> slot_places(const Optimizer& optimizer);

}  // namespace antler::saving
