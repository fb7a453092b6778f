#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/initializers.h"
#include "antler/nn/layer.h"
#include "antler/nn/registered_names.h"
#include "nn/initializers/classes.h"

namespace antler {
namespace {

/// A function that the program registered under a name.
class FunctionImpl final : public InitializerImpl {
 public:
  FunctionImpl(std::string name, Initializer::Function function)
      : name_(std::move(name)), function_(std::move(function)) {}
  Tensor call(const Shape& shape, DType dtype) const override { return function_(shape, dtype); }
  std::string class_name() const override { return name_; }
  Json get_config() const override { return Json::object(); }

 private:
  std::string name_;
  Initializer::Function function_;
};

}  // namespace

namespace initializers {

namespace {

const Registry<Initializer>& registry() {
  static const Registry<Initializer> instance(
      {.singular = "initializer",
       .plural = "initializers",
       .module = "keras.initializers",
       .spelling = ObjectKind::Spelling::or_snake_case},
      {constant_initializers(), normal_and_uniform_initializers(), variance_scaling_initializers(),
       orthogonal_initializers(), stft_initializers()});
  return instance;
}

}  // namespace

std::vector<std::string> registered_initializers() { return registry().names(); }

Initializer get(const std::string& name) { return registry().make(name); }

void register_initializer(const std::string& name, Initializer::Function function) {
  register_object(name, [initializer = Initializer(name, std::move(function))](const Json&) {
    return initializer;
  });
}

Json serialize(const Initializer& initializer) {
  if (!initializer.given()) return nullptr;
  return registry().serialize(initializer.impl().class_name(), initializer.impl().get_config());
}

Initializer deserialize(const Json& json) {
  return json.is_null() ? Initializer() : registry().deserialize(json);
}

}  // namespace initializers

std::string InitializerImpl::class_name() const { return internal::class_name(typeid(*this)); }

Json InitializerImpl::get_config() const {
  throw NotImplementedError("Initializer {} must override `get_config` to be saved.", class_name());
}

Initializer::Initializer(const char* name) : Initializer(initializers::get(name)) {}
Initializer::Initializer(const std::string& name) : Initializer(initializers::get(name)) {}
Initializer::Initializer(std::string name, Function function)
    : impl_(std::make_shared<FunctionImpl>(std::move(name), std::move(function))) {}

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  if (!given()) throw ValueError("Cannot create values: no initializer was given.");
  const ir::TraceSuspension suspension;
  return impl_->call(shape, dtype);
}

}  // namespace antler
