#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

namespace antler {

class Initializer;

/// Gives the initial values of a weight. Abstract; users pass an Initializer handle.
class InitializerImpl {
 public:
  using Handle = Initializer;
  virtual ~InitializerImpl() = default;
  virtual Tensor make(const Shape& shape, DType dtype) const = 0;
  /// Keras's class name ("GlorotUniform").
  virtual std::string class_name() const = 0;
  virtual Json get_config() const = 0;
};

/// Field type of layer options: a Keras name ("he_normal"), an initializer object, or nothing (the
/// layer's default).
class Initializer {
 public:
  using Handle = Initializer;
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

  bool given() const { return impl_ != nullptr; }
  /// Values of `shape`. Throws ValueError for shapes that the scheme does not support.
  Tensor operator()(const Shape& shape, DType dtype = default_float()) const;
  const InitializerImpl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const InitializerImpl> impl_;
};

}  // namespace antler
