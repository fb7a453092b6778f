// Zeros, Ones, Constant, Identity.
#include <algorithm>
#include <memory>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/initializers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/array_config.h"
#include "nn/initializers/classes.h"
#include "nn/initializers/random_initializer.h"

namespace antler {

template <class V>
void fields(V& v, initializers::ConstantOptions& o) {
  v("value", o.value);
}

template <class V>
void fields(V& v, initializers::IdentityOptions& o) {
  v("gain", o.gain);
}

struct NoOptions {};
template <class V>
void fields(V&, NoOptions&) {}

namespace {

class ConstantImpl final : public InitializerImpl {
 public:
  explicit ConstantImpl(initializers::ConstantOptions options) : options_(options) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    return Tensor::full(dtype, shape, options_.value);
  }
  std::string class_name() const override { return "Constant"; }
  Json get_config() const override { return config::write(options_); }

 private:
  initializers::ConstantOptions options_;
};

class ArrayImpl final : public InitializerImpl {
 public:
  explicit ArrayImpl(Tensor value) : value_(std::move(value)) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    return ops::broadcast_to(ops::cast(value_, dtype), shape);
  }
  std::string class_name() const override { return "Constant"; }
  Json get_config() const override { return {{"value", array_to_config(value_)}}; }

 private:
  Tensor value_;
};

class FixedImpl final : public InitializerImpl {
 public:
  FixedImpl(const char* class_name, double value) : class_name_(class_name), value_(value) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    return Tensor::full(dtype, shape, value_);
  }
  std::string class_name() const override { return class_name_; }
  Json get_config() const override { return Json::object(); }

 private:
  const char* class_name_;
  double value_;
};

class IdentityImpl final : public InitializerImpl {
 public:
  explicit IdentityImpl(initializers::IdentityOptions options) : options_(options) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    if (shape.rank() != 2) {
      throw ValueError(
          "Identity matrix initializer can only be used for 2D matrices. Received: shape={} of "
          "rank {}.",
          shape, shape.rank());
    }
    return ops::cast(ops::multiply(ops::eye(shape[0], shape[1]), Tensor(options_.gain)), dtype);
  }
  std::string class_name() const override { return "Identity"; }
  Json get_config() const override { return config::write(options_); }

 private:
  initializers::IdentityOptions options_;
};

Initializer fixed(const char* class_name, double value) {
  return Initializer(std::make_shared<FixedImpl>(class_name, value));
}

}  // namespace

namespace initializers {

Zeros::Zeros() : Initializer(fixed("Zeros", 0)) {}
Ones::Ones() : Initializer(fixed("Ones", 1)) {}
Constant::Constant(double value)
    : Initializer(std::make_shared<ConstantImpl>(initializers::ConstantOptions{value})) {}
Constant Constant::of_array(const Tensor& value) {
  return Constant(Initializer(std::make_shared<ArrayImpl>(value)));
}
Identity::Identity(double gain)
    : Initializer(std::make_shared<IdentityImpl>(initializers::IdentityOptions{gain})) {}

InitializerFamily constant_initializers() {
  static constexpr InitializerClass kClasses[] = {
      {"Zeros",
       [](const Json& c) -> Initializer {
         config::read<NoOptions>(c, "Zeros");
         return Zeros();
       },
       {"zero"}},
      {"Ones",
       [](const Json& c) -> Initializer {
         config::read<NoOptions>(c, "Ones");
         return Ones();
       },
       {"one"}},
      {"Constant",
       [](const Json& c) -> Initializer {
         if (c.contains("value") && is_array_config(c["value"]))
           return Constant(array_from_config(c["value"]));
         if (c.contains("value") && (c["value"].is_array() || c["value"].is_boolean()))
           return Constant(array_from_lists(c["value"]));
         return Constant(config::read<initializers::ConstantOptions>(c, "Constant").value);
       }},
      {"Identity",
       [](const Json& c) -> Initializer {
         return Identity(config::read<initializers::IdentityOptions>(c, "Identity").gain);
       },
       {"IdentityInitializer"}},
  };
  return kClasses;
}

}  // namespace initializers
}  // namespace antler
