#include "saving/optimizer_lists.h"

#include <map>
#include <string_view>
#include <utility>

namespace antler::saving {
namespace {

struct SlotList {
  std::string_view slot;  // suffix of a variable's name
  std::string_view list;
};
constexpr SlotList kSlotLists[] = {{"_momentum", "momentums"},
                                   {"_velocity", "velocities"},
                                   {"_velocity_hat", "velocity_hats"},
                                   {"_average_gradient", "average_gradients"},
                                   {"_gradient_accumulator", "accumulated_gradients"},
                                   {"_accumulator", "accumulators"},
                                   {"_accumulated_grad", "accumulated_grads"},
                                   {"_accumulated_delta_var", "accumulated_delta_vars"},
                                   {"_linear", "linears"},
                                   {"_average", "model_variables_moving_average"}};
/// Adamax uses the symbols of its paper.
constexpr SlotList kAdamaxLists[] = {{"_momentum", "m"}, {"_norm", "u"}};

template <size_t N>
std::string list_of(const std::string& slot, const SlotList (&lists)[N]) {
  for (const SlotList& entry : lists) {
    if (slot.ends_with(entry.slot)) return std::string(entry.list);
  }
  return "";
}

}  // namespace

std::optional<std::vector<SlotPlace>> slot_places(const Optimizer& optimizer) {
  const std::string& kind = optimizer.class_name();
  // Adafactor's lists differ between Keras 2 and 3, and some of them are not slots.
  if (kind == "Adafactor") return std::nullopt;
  const Variables all = optimizer.variables();
  std::vector<SlotPlace> places;
  std::map<std::string, int64_t> counts;
  for (size_t i = optimizer.has_schedule() ? 1 : 2; i < all.size(); ++i) {
    const std::string list = kind == "Adamax" ? list_of(all[i].name(), kAdamaxLists)
                                              : list_of(all[i].name(), kSlotLists);
    if (list.empty()) return std::nullopt;
    places.push_back({list, counts[list]++});
  }
  return places;
}

}  // namespace antler::saving
