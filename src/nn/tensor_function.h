#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "nn/config_fields.h"

/// Constraints and regularizers that are functions of one tensor. `Impl` is the class behind their
/// handles.
namespace antler {

/// A class of the library: a function of a tensor and options, which are the configuration.
template <class Impl, class Options>
class TensorFunction final : public Impl {
 public:
  using Call = Tensor (*)(const Tensor&, const Options&);
  TensorFunction(const char* class_name, Options options, Call call)
      : class_name_(class_name), options_(std::move(options)), call_(call) {}
  Tensor call(const Tensor& x) const override { return call_(x, options_); }
  std::string class_name() const override { return class_name_; }
  Json get_config() const override { return config::write(options_); }

 private:
  const char* class_name_;
  Options options_;
  Call call_;
};

/// A function that the program registered under a name.
template <class Impl>
class NamedTensorFunction final : public Impl {
 public:
  using Call = std::function<Tensor(const Tensor&)>;
  NamedTensorFunction(std::string name, Call call)
      : name_(std::move(name)), call_(std::move(call)) {}
  Tensor call(const Tensor& x) const override { return call_(x); }
  std::string class_name() const override { return name_; }
  Json get_config() const override { return Json::object(); }

 private:
  std::string name_;
  Call call_;
};

}  // namespace antler
