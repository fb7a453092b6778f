#include "antler/nn/object_factory.h"

#include <mutex>
#include <string_view>
#include <utility>

#include "antler/base/format.h"
#include "antler/nn/activation.h"
#include "antler/nn/loss.h"

namespace antler {
namespace {

std::mutex g_registered_mutex;
CustomObjects& registered_objects() {
  static CustomObjects instance;
  return instance;
}

/// The objects of the CustomObjectScopes of this thread, innermost last.
CustomObjects& scoped_objects() {
  thread_local CustomObjects instance;
  return instance;
}

/// "package>Class" is also found as "Class".
bool is_name_of(std::string_view registered, std::string_view name) {
  return registered == name || registered.substr(registered.find('>') + 1) == name;
}

/// The last factory with this name: later registrations take precedence.
ObjectFactory find(const CustomObjects& objects, std::string_view name) {
  for (size_t i = objects.size(); i-- > 0;) {
    if (is_name_of(objects[i].first, name)) return objects[i].second;
  }
  return {};
}

}  // namespace

CustomObjectScope::CustomObjectScope(const CustomObjects& objects) : count_(objects.size()) {
  scoped_objects().insert(scoped_objects().end(), objects.begin(), objects.end());
}

CustomObjectScope::~CustomObjectScope() {
  scoped_objects().resize(scoped_objects().size() - count_);
}

void register_object(const std::string& registered_name, ObjectFactory factory) {
  const std::lock_guard lock(g_registered_mutex);
  registered_objects().emplace_back(registered_name, std::move(factory));
}

void register_keras_serializable(const std::string& package, const std::string& name,
                                 std::function<Tensor(const Tensor&)> activation) {
  activations::register_activation(format("{}>{}", package, name), std::move(activation));
}

void register_keras_serializable(const std::string& package, const std::string& name,
                                 std::function<Tensor(const Tensor&, const Tensor&)> function) {
  register_object(format("{}>{}", package, name), ObjectFactory(std::move(function)));
}

std::string get_registered_name(const std::string& class_name) {
  const std::lock_guard lock(g_registered_mutex);
  for (const auto& [registered, factory] : registered_objects()) {
    if (is_name_of(registered, class_name)) return registered;
  }
  return class_name;
}

std::any internal::factory_of_function(
    std::function<Tensor(const Tensor&, const Tensor&)> function) {
  return FactoryOf<Loss>([loss = Loss(std::move(function))](const Json&) { return loss; });
}

ObjectFactory get_registered_object(const std::string& name, const CustomObjects& custom_objects) {
  if (ObjectFactory given = find(custom_objects, name)) return given;
  if (ObjectFactory scoped = find(scoped_objects(), name)) return scoped;
  const std::lock_guard lock(g_registered_mutex);
  return find(registered_objects(), name);
}

CustomObjects get_custom_objects() {
  CustomObjects all = scoped_objects();
  const std::lock_guard lock(g_registered_mutex);
  all.insert(all.end(), registered_objects().begin(), registered_objects().end());
  return all;
}

}  // namespace antler
