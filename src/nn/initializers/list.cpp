#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/initializers.h"
#include "antler/nn/registered_names.h"
#include "nn/initializers/classes.h"

namespace antler {
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

Json serialize(const Initializer& initializer) {
  if (!initializer.given()) return nullptr;
  return registry().serialize(initializer.impl().class_name(), initializer.impl().get_config());
}

Initializer deserialize(const Json& json) {
  return json.is_null() ? Initializer() : registry().deserialize(json);
}

}  // namespace initializers

Initializer::Initializer(const char* name) : Initializer(initializers::get(name)) {}
Initializer::Initializer(const std::string& name) : Initializer(initializers::get(name)) {}

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  if (!given()) throw ValueError("An initializer that was not given cannot make values.");
  const ir::TraceSuspension suspension;
  return impl_->make(shape, dtype);
}

}  // namespace antler
