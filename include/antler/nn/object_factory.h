#pragma once

#include <any>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/nn/layer.h"

/// Registration of a program's own classes, so that configurations and files can name them
/// (keras.saving).
namespace antler {

namespace internal {

template <class T>
struct HandleOf {
  using Type = typename T::Handle;
};
template <class T>
struct HandleOf<std::shared_ptr<T>> {
  using Type = typename T::Handle;
};

/// Converts an object or a handle to the handle type of its kind.
template <class T>
typename HandleOf<T>::Type to_handle(T object) {
  if constexpr (std::derived_from<T, Layer>) {
    return object.share();
  } else {
    return object;
  }
}

/// A factory of Losses that are this function.
std::any factory_of_function(std::function<Tensor(const Tensor&, const Tensor&)> function);

}  // namespace internal

/// The type that holds an object of class T in options and files: a LayerPtr for a layer, a Loss
/// for a loss, a CallbackHandle for a callback, and so on.
template <class T>
using HandleOf = typename internal::HandleOf<std::remove_cvref_t<T>>::Type;

/// Makes an object from its configuration.
template <class Handle>
using FactoryOf = std::function<Handle(const Json& config)>;
using LayerFactory = FactoryOf<LayerPtr>;

/// A factory of objects of any kind: layers, losses, metrics, optimizers, learning-rate schedules,
/// initializers, regularizers, constraints or callbacks.
class ObjectFactory {
 public:
  ObjectFactory() = default;
  ObjectFactory(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  /// `make(config)` returns the object by value, or a handle to it.
  template <std::invocable<const Json&> F>
  requires(!std::same_as<std::remove_cvref_t<F>, ObjectFactory>)
      ObjectFactory(F make) {  // NOLINT(google-explicit-constructor)
    using Handle = HandleOf<std::invoke_result_t<F, const Json&>>;
    make_ = FactoryOf<Handle>([make = std::move(make)](const Json& config) -> Handle {
      return internal::to_handle(make(config));
    });
  }

  /// A function (y_true, y_pred), which files name as a loss or a metric.
  template <class F>
  requires std::is_invocable_r_v<Tensor, F, const Tensor&, const Tensor&> ObjectFactory(
      F function)  // NOLINT(google-explicit-constructor)
      : make_(internal::factory_of_function(std::move(function))) {}

  /// The factory if it makes objects of this kind, else null.
  template <class Handle>
  const FactoryOf<Handle>* as() const {
    return std::any_cast<FactoryOf<Handle>>(&make_);
  }
  explicit operator bool() const { return make_.has_value(); }
  friend bool operator==(const ObjectFactory& factory, std::nullptr_t) { return !factory; }

 private:
  std::any make_;
};

/// Factories by the names of their classes in files.
using CustomObjects = std::vector<std::pair<std::string, ObjectFactory>>;

/// During its lifetime, these classes take precedence over registered ones on this thread.
class CustomObjectScope {
 public:
  explicit CustomObjectScope(const CustomObjects& objects);
  CustomObjectScope(const CustomObjectScope&) = delete;
  CustomObjectScope& operator=(const CustomObjectScope&) = delete;
  ~CustomObjectScope();

 private:
  size_t count_;
};
/// Keras's older name of the class.
using custom_object_scope = CustomObjectScope;  // NOLINT(readability-identifier-naming)

/// Registers a class under `registered_name`, Keras's "package>Class". Files can also name it
/// "Class". It hides a class of the library with the same name.
void register_object(const std::string& registered_name, ObjectFactory factory);

/// Registers a class that has a static `from_config(const Json&)` under "package>name" (Keras's
/// decorator of this name). `name` defaults to the name of the class.
template <class T>
void register_keras_serializable(const std::string& package = "Custom",
                                 const std::string& name = "") {
  using Made = decltype(T::from_config(std::declval<const Json&>()));
  static_assert(
      std::same_as<Made, T> || !std::is_base_of_v<Made, T>,
      "This class has the `from_config` of its base, which makes objects of the base. Give "
      "it one of its own.");
  register_object(package + ">" + (name.empty() ? internal::class_name(typeid(T)) : name),
                  [](const Json& config) { return T::from_config(config); });
}

/// Registers a function under "package>name": an activation.
void register_keras_serializable(const std::string& package, const std::string& name,
                                 std::function<Tensor(const Tensor& x)> activation);
/// The same for a loss or metric.
void register_keras_serializable(
    const std::string& package, const std::string& name,
    std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)> function);

/// The name under which a class was registered ("package>Class"), else `class_name`.
std::string get_registered_name(const std::string& class_name);
/// The same for an object that knows its class.
template <class T>
requires requires(const T& object) { object.class_name(); }
std::string get_registered_name(const T& object) {
  return get_registered_name(std::string(object.class_name()));
}
/// The factory of the class with this name, with or without its package: from `custom_objects`,
/// else from the scopes of this thread, else from the registered ones. Null if there is none.
ObjectFactory get_registered_object(const std::string& name,
                                    const CustomObjects& custom_objects = {});
/// All classes that a program registered: those of the scopes of this thread, then the global ones.
CustomObjects get_custom_objects();

}  // namespace antler
