#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "antler/nn/initializer.h"
#include "nn/fields.h"

namespace antler {

/// How an initializer without a seed draws.
enum class SeedUse : uint8_t {
  once,      ///< an object: one seed, so the same values at each use
  each_use,  ///< made from a name or a configuration: another seed at each use
};

/// Base of initializers that draw.
class RandomInitializer : public InitializerImpl {
 protected:
  RandomInitializer(std::optional<int64_t> seed, SeedUse use);
  /// The seed of the draw, uint32 [2].
  Tensor seed() const;
  const std::optional<int64_t>& given_seed() const { return given_; }

 private:
  std::optional<int64_t> given_;
  std::optional<int64_t> fixed_;
};

/// Reads the options of an initializer from a configuration whose fields are named by `fields(v,
/// options)`.
template <class Options>
Options initializer_options(const Json& config, const char* class_name) {
  Options options;
  FieldReader reader(config, class_name);
  fields(reader, options);
  reader.finish();
  return options;
}

template <class Options>
Json initializer_config(Options options) {
  Json config = Json::object();
  FieldWriter writer(config);
  fields(writer, options);
  return config;
}

}  // namespace antler
