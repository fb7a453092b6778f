#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/base/json.h"
#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/nn/by_position.h"

namespace antler {

class Initializer;

/// Gives the initial values of a weight. Abstract; users pass an Initializer handle.
class InitializerImpl {
 public:
  using Handle = Initializer;
  virtual ~InitializerImpl() = default;
  virtual Tensor call(const Shape& shape, DType dtype) const = 0;
  Tensor operator()(const Shape& shape, DType dtype = default_float()) const {
    return call(shape, dtype);
  }
  /// Keras's class name ("GlorotUniform"). Default: the name of the class.
  virtual std::string class_name() const;
  /// Override it to make models with this initializer saveable. The default throws
  /// NotImplementedError.
  virtual Json get_config() const;
};

/// The arguments of an initializer's call by name.
struct InitializerCallOptions {
  Shape shape = {};  ///< {}: a scalar
  DTypeArg dtype = default_float();
};

/// Field type of layer options: a Keras name ("he_normal"), an initializer object, a function of
/// (shape, dtype), or nothing (the layer's default).
class Initializer {
 public:
  using Handle = Initializer;
  using Function = std::function<Tensor(const Shape& shape, DType dtype)>;

  Initializer() = default;
  Initializer(const char* name);  // NOLINT(google-explicit-constructor): names stand for objects,
                                  // as in Keras
  Initializer(const std::string& name);                     // NOLINT(google-explicit-constructor)
  Initializer(std::shared_ptr<const InitializerImpl> impl)  // NOLINT(google-explicit-constructor)
      : impl_(std::move(impl)) {}
  /// An object of a custom class.
  template <std::derived_from<InitializerImpl> I>
  Initializer(I impl)  // NOLINT(google-explicit-constructor)
      : impl_(std::make_shared<const I>(std::move(impl))) {}
  /// An object of the library, `initializers::Ones()`.
  template <std::derived_from<Initializer> H>
  requires(!std::same_as<H, Initializer>)
      Initializer(const H& handle)  // NOLINT(google-explicit-constructor)
      : impl_(handle.impl_) {
    static_assert(
        requires { inherits_call(&H::operator()); },
        "A class of your own derives from InitializerImpl, the base of what a handle holds: "
        "class MyInitializer : public InitializerImpl { Tensor call(const Shape& shape, DType "
        "dtype) const override; };");
  }
  /// A custom function, saved under this name; register_initializer() makes it loadable.
  Initializer(std::string name, Function function);
  template <class F>
  requires(std::is_invocable_r_v<Tensor, F, const Shape&, DType> &&
           !std::derived_from<std::remove_cvref_t<F>, Initializer> &&
           !std::derived_from<std::remove_cvref_t<F>, InitializerImpl>)
      Initializer(F function)  // NOLINT(google-explicit-constructor)
      : Initializer("function", Function(std::move(function))) {}

  bool given() const { return impl_ != nullptr; }
  /// Values of `shape`. Throws ValueError for shapes that the scheme does not support.
  Tensor operator()(const Shape& shape, DType dtype = default_float()) const;
  template <class... K>
  requires KeywordArguments<K...> Tensor operator()(const Shape& shape, K... keywords) const {
    const auto options = by_position<&InitializerCallOptions::shape>(
        "Initializer", from_keywords<InitializerCallOptions>(std::move(keywords)...), shape);
    return (*this)(options.shape, options.dtype);
  }
  /// `initializer(kw::shape = {2, 3})`.
  template <class... K>
  requires KeywordArguments<K...> Tensor operator()(K... keywords) const {
    const auto options = from_keywords<InitializerCallOptions>(std::move(keywords)...);
    return (*this)(options.shape, options.dtype);
  }
  const InitializerImpl& impl() const { return *impl_; }

 private:
  /// Only takes the operator of this class.
  static void inherits_call(Tensor (Initializer::*)(const Shape&, DType) const);
  std::shared_ptr<const InitializerImpl> impl_;
};

}  // namespace antler
