#include "antler/training/callbacks/deserialize.h"

#include <array>
#include <tuple>
#include <type_traits>

#include "antler/training/callbacks.h"
#include "nn/object_registry.h"

namespace antler::callbacks {
namespace {

template <class... Classes>
constexpr auto classes(std::type_identity<std::tuple<Classes...>>) {
  return std::array{ObjectClass<CallbackHandle>{
      Classes::kName,
      [](const Json& config) -> CallbackHandle { return Classes::from_config(config); }}...};
}

const Registry<CallbackHandle>& registry() {
  static constexpr auto kClasses = classes(std::type_identity<BuiltIn>());
  static const Registry<CallbackHandle> instance(
      {.singular = "callback", .plural = "callbacks", .module = "keras.callbacks"}, {kClasses});
  return instance;
}

}  // namespace

CallbackHandle deserialize(const Json& json) { return registry().deserialize(json); }

std::vector<std::string> registered_callbacks() { return registry().names(); }

}  // namespace antler::callbacks
