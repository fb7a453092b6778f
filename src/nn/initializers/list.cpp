#include "nn/initializers/list.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/initializers.h"
#include "antler/nn/registry.h"
#include "base/did_you_mean.h"
#include "nn/fields.h"

namespace antler {
namespace {

constexpr InitializerEntry kInitializers[] = {
    {"Zeros", zeros_from_config},
    {"Ones", ones_from_config},
    {"Constant", constant_from_config},
    {"Identity", identity_from_config},
    {"RandomNormal", random_normal_from_config},
    {"TruncatedNormal", truncated_normal_from_config},
    {"RandomUniform", random_uniform_from_config},
    {"VarianceScaling", variance_scaling_from_config},
    {"GlorotNormal", glorot_normal_from_config},
    {"GlorotUniform", glorot_uniform_from_config},
    {"HeNormal", he_normal_from_config},
    {"HeUniform", he_uniform_from_config},
    {"LecunNormal", lecun_normal_from_config},
    {"LecunUniform", lecun_uniform_from_config},
    {"Orthogonal", orthogonal_from_config},
    {"STFT", stft_from_config},
};

constexpr std::pair<const char*, const char*> kAliases[] = {
    {"IdentityInitializer", "Identity"},
    {"OrthogonalInitializer", "Orthogonal"},
    {"STFTInitializer", "STFT"},
    {"normal", "RandomNormal"},
    {"uniform", "RandomUniform"},
    {"one", "Ones"},
    {"zero", "Zeros"},
};

}  // namespace

Initializer initializer_from_config(const std::string& class_name, const Json& config) {
  std::string wanted = class_name;
  for (const auto& [alias, name] : kAliases) {
    if (wanted == alias) wanted = name;
  }
  for (const InitializerEntry& entry : kInitializers) {
    if (wanted == entry.class_name || wanted == to_snake_case(entry.class_name))
      return entry.from_config(config);
  }
  std::vector<std::string> known;
  for (const InitializerEntry& entry : kInitializers)
    known.push_back(to_snake_case(entry.class_name));
  throw ValueError("Could not interpret initializer identifier: " + class_name + "." +
                   suggest_names(class_name, "initializers", known));
}

Initializer::Initializer(const char* name) : Initializer(std::string(name)) {}
Initializer::Initializer(const std::string& name) {
  *this = initializer_from_config(name, Json::object());
}

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  if (!given()) throw ValueError("An initializer that was not given cannot make values.");
  const ir::TraceSuspension suspension;
  return impl_->make(shape, dtype);
}

namespace initializers {
Initializer get(const std::string& name) { return Initializer(name); }

Json serialize(const Initializer& initializer) {
  Json json;
  write_field(json, initializer);
  return json;
}

Initializer deserialize(const Json& json) {
  Initializer initializer;
  read_field(json, initializer);
  return initializer;
}
}  // namespace initializers

}  // namespace antler
