#include "antler/training/callbacks/deserialize.h"

#include <map>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>

#include "antler/base/error.h"
#include "antler/training/callbacks.h"
#include "nn/config_fields.h"

namespace antler::callbacks {
namespace {

using Factory = std::function<CallbackHandle(const Json& config)>;

template <class... Classes>
std::map<std::string, Factory> factories(std::type_identity<std::tuple<Classes...>>) {
  return {{Classes::kName, Classes::from_config}...};
}

std::mutex g_mutex;
std::map<std::string, Factory>& known_callbacks() {
  static std::map<std::string, Factory> instance = factories(std::type_identity<BuiltIn>());
  return instance;
}

Factory factory_of(const std::string& class_name) {
  const std::lock_guard lock(g_mutex);
  const auto found = known_callbacks().find(class_name);
  if (found != known_callbacks().end()) return found->second;
  throw ValueError("Unknown callback: '{}'. Make a custom class known with register_callback().",
                   class_name);
}

}  // namespace

CallbackHandle deserialize(const Json& json) {
  const std::string name = config::class_name_of(json, "callback");
  const Json arguments = config::config_of(json);
  try {
    return factory_of(name)(arguments);
  } catch (const Json::exception& error) {
    throw ValueError("The configuration of {} cannot be read: {}. Received: {}", name, error.what(),
                     arguments.dump());
  }
}

void register_callback(const std::string& class_name, Factory make) {
  const std::lock_guard lock(g_mutex);
  known_callbacks()[class_name] = std::move(make);
}

std::vector<std::string> registered_callbacks() {
  const std::lock_guard lock(g_mutex);
  std::vector<std::string> names;
  for (const auto& [name, factory] : known_callbacks()) names.push_back(name);
  return names;
}

}  // namespace antler::callbacks
