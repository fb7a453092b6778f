#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/object_factory.h"
#include "antler/nn/registry.h"
#include "base/did_you_mean.h"
#include "base/json_reading.h"
#include "base/strings.h"
#include "nn/config_fields.h"

namespace antler {

/// A class of the library. Kinds that need more derive from it.
template <class Handle>
struct ObjectClass {
  std::string_view name;
  /// Throws TypeError or ValueError for unknown keys.
  Handle (*from_config)(const Json& config);
  /// Keras's other names for it; unused entries are empty.
  std::array<std::string_view, 6> aliases = {};
};

/// How names are spelled for one kind of object, and how errors refer to that kind.
struct ObjectKind {
  const char* singular;  ///< "loss"
  const char* plural;    ///< "losses"; also the last part of Keras's module
  const char* module;    ///< "keras.losses"
  enum class Spelling : uint8_t { exact, or_snake_case, any_case } spelling = Spelling::exact;
};

/// All classes of one kind. The library's classes come in families, one per source file. Classes
/// that the program registered (object_factory.h) take precedence.
template <class Handle, class Class = ObjectClass<Handle>>
class Registry {
 public:
  using Family = std::span<const Class>;

  Registry(const ObjectKind& kind, std::initializer_list<Family> families) : kind_(kind) {
    for (const Family& family : families) {
      for (const Class& entry : family) classes_.push_back(&entry);
    }
  }

  /// The classes of the library.
  const std::vector<const Class*>& classes() const { return classes_; }

  /// The class of the library with this name or alias; null if there is none.
  const Class* find(std::string_view name) const {
    for (const Class* entry : classes_) {
      if (is_class_name(*entry, name)) return entry;
      for (const std::string_view alias : entry->aliases) {
        if (!alias.empty() && alias == name) return entry;
      }
    }
    return nullptr;
  }

  /// Makes an object of the class with this name. Throws ValueError for an unknown name, and the
  /// errors of the class.
  Handle make(const std::string& name, const Json& config = Json::object()) const {
    if (const ObjectFactory custom = get_registered_object(name); custom.as<Handle>() != nullptr) {
      return (*custom.as<Handle>())(config);
    }
    const Class* found = find(name);
    if (found == nullptr) throw_unknown(name);
    return found->from_config(config);
  }

  /// Makes an object from a name or from Keras's {"class_name", "config"}; a known
  /// `registered_name` takes precedence over the class name. Throws ValueError.
  Handle deserialize(const Json& json) const {
    if (json.is_string()) return make(json.get<std::string>());
    std::string name = config::class_name_of(json, kind_.singular);
    if (const auto it = json.find("registered_name"); it != json.end() && it->is_string()) {
      const auto registered = it->template get<std::string>();
      if (get_registered_object(registered).as<Handle>() != nullptr) name = registered;
    }
    const std::string what = std::string("the configuration of ") + name;
    return read_checked(what.c_str(), json, [&] { return make(name, config::config_of(json)); });
  }

  /// An object in Keras's form: {"module", "class_name", "config", "registered_name"}.
  Json serialize(const std::string& class_name, Json config) const {
    Json object = keras_object(kind_.module, class_name, std::move(config));
    const std::string registered = get_registered_name(class_name);
    if (get_registered_object(registered).as<Handle>() != nullptr) {
      object["module"] = nullptr;
      object["registered_name"] = registered;
    }
    return object;
  }

  /// The names that errors suggest: class names as users type them, and the first aliases.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Class* entry : classes_) {
      names.push_back(spelled(*entry));
      const std::string_view alias = entry->aliases[0];
      if (kind_.spelling == Spelling::exact && !alias.empty()) names.emplace_back(alias);
    }
    for (const auto& [name, factory] : get_custom_objects()) {
      if (factory.template as<Handle>() != nullptr) names.push_back(name);
    }
    return names;
  }

  [[noreturn]] void throw_unknown(const std::string& name) const {
    throw ValueError("Could not interpret {} identifier: '{}'.{}", kind_.singular, name,
                     suggest_names(name, kind_.plural, names()));
  }

 private:
  using Spelling = ObjectKind::Spelling;

  bool is_class_name(const Class& entry, std::string_view name) const {
    if (entry.name == name) return true;
    if (kind_.spelling == Spelling::any_case) return to_lower(entry.name) == to_lower(name);
    return kind_.spelling == Spelling::or_snake_case &&
           to_snake_case(std::string(entry.name)) == name;
  }

  std::string spelled(const Class& entry) const {
    switch (kind_.spelling) {
      case Spelling::any_case:
        return to_lower(entry.name);
      case Spelling::or_snake_case:
        return to_snake_case(std::string(entry.name));
      case Spelling::exact:
        break;
    }
    return std::string(entry.name);
  }

  ObjectKind kind_;
  std::vector<const Class*> classes_;
};

}  // namespace antler
