#include "antler/nn/dtype_policy.h"

#include <mutex>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "nn/fields.h"

namespace antler {
namespace {

std::mutex g_policy_mutex;
DTypePolicy g_policy;

constexpr char kInt8[] = "int8";
constexpr char kInt8Prefix[] = "int8_from_";

/// Keras has modes that are not here: a file that needs one is refused by name.
void check_mode(const std::string& mode, DType compute) {
  if (mode != kInt8) {
    throw ValueError("Invalid quantization mode. Expected one of ('int8',). Received: mode=" +
                     mode);
  }
  if (compute == DType::float16) {
    throw ValueError(
        "Quantization mode='int8' doesn't work well with compute_dtype='float16'. Consider "
        "loading the layer with another dtype policy such as 'mixed_bfloat16'.");
  }
}

}  // namespace

DTypePolicy DTypePolicy::parse(const std::string& name) {
  if (name == "mixed_float16") return {name, DType::float16, DType::float32};
  if (name == "mixed_bfloat16") return {name, DType::bfloat16, DType::float32};
  if (name.starts_with(kInt8Prefix)) {
    DTypePolicy policy = parse(name.substr(sizeof(kInt8Prefix) - 1));
    check_mode(kInt8, policy.compute);
    policy.name = name;
    policy.quantization_mode = kInt8;
    return policy;
  }
  const DType dtype = parse_dtype(name);
  return {dtype_name(dtype), dtype, dtype};
}

DTypePolicy DTypePolicy::source() const {
  return quantization_mode.empty() ? *this : parse(name.substr(sizeof(kInt8Prefix) - 1));
}

Json DTypePolicy::serialize() const {
  if (quantization_mode.empty()) return keras_object("keras", "DTypePolicy", {{"name", name}});
  return keras_object("keras", "QuantizedDTypePolicy",
                      {{"mode", quantization_mode}, {"source_name", source().name}});
}

DTypePolicy DTypePolicy::deserialize(const Json& json) {
  if (json.is_string()) return parse(json.get<std::string>());
  if (json.is_object() && json.contains("config") && json["config"].is_object()) {
    const Json& config = json["config"];
    if (config.contains("mode") && config.contains("source_name")) {
      const std::string mode = config["mode"].get<std::string>();
      const DTypePolicy source = config["source_name"].is_string()
                                     ? parse(config["source_name"].get<std::string>())
                                     : mixed_precision::global_policy();
      check_mode(mode, source.compute);
      return parse(kInt8Prefix + source.name);
    }
    if (config.contains("name") && config["name"].is_string()) {
      return parse(config["name"].get<std::string>());
    }
  }
  throw ValueError(
      "Cannot interpret `dtype` argument. Expected a string or a dtype policy. "
      "Received: dtype=" +
      json.dump());
}

namespace mixed_precision {

void set_global_policy(const std::string& name) {
  DTypePolicy policy = DTypePolicy::parse(name);
  const std::lock_guard lock(g_policy_mutex);
  g_policy = std::move(policy);
}

DTypePolicy global_policy() {
  const std::lock_guard lock(g_policy_mutex);
  return g_policy;
}

}  // namespace mixed_precision
}  // namespace antler
