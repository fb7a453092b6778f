#include "antler/nn/dtype_policy.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/dtype_policy_map.h"
#include "nn/fields.h"
#include "nn/quantization/quantization_mode.h"

namespace antler {
namespace {

std::mutex g_policy_mutex;
std::optional<DTypePolicy> g_policy;

constexpr char kFrom[] = "_from_";
constexpr int64_t kDefaultHistory = 1024;

bool is_quantized_name(const std::string& name) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{"int8", "int4", "float8", "gptq", "awq"},
      [&](const char* mode) {
        return name.starts_with(mode) && name.find(kFrom) != std::string::npos;
      });
}

DTypePolicy policy_of_config(const Json& config) {
  const auto named = [&](const char* key) {
    // In a DTypePolicyMap without a default policy, the names are null.
    return config[key].is_string() ? DTypePolicy(config[key].get<std::string>())
                                   : mixed_precision::global_policy();
  };
  if (!config.contains("mode")) return named("name");
  DTypePolicy policy =
      DTypePolicy::quantized(config["mode"].get<std::string>(), named("source_name"));
  if (config.contains("amax_history_length")) {
    policy.amax_history_length = config["amax_history_length"].get<int64_t>();
  }
  return policy;
}

}  // namespace

DTypePolicy::DTypePolicy(const std::string& text) {
  if (text.starts_with('{')) {
    *this = deserialize(Json::parse(text));
  } else if (is_quantized_name(text)) {
    const size_t from = text.find(kFrom);
    *this = quantized(text.substr(0, from), DTypePolicy(text.substr(from + sizeof(kFrom) - 1)));
  } else if (text == "mixed_float16" || text == "mixed_bfloat16") {
    name = text;
    compute_dtype = text == "mixed_float16" ? DType::float16 : DType::bfloat16;
  } else {
    variable_dtype = parse_dtype(text);
    compute_dtype = variable_dtype;
    name = dtype_name(variable_dtype);
  }
}

DTypePolicy DTypePolicy::quantized(const std::string& mode, const DTypePolicy& source) {
  const QuantizationMode parsed = QuantizationMode::parse(mode);
  DTypePolicy policy = source;
  policy.quantization_mode = parsed.name;
  policy.block_size = parsed.block_size;
  policy.weight_bits = parsed.weight_bits;
  policy.group_size = parsed.group_size;
  if (mode == "int8" && source.compute_dtype == DType::float16) {
    throw ValueError(
        "Quantization mode='int8' doesn't work well with compute_dtype='float16'. Consider "
        "loading the layer with another dtype policy such as 'mixed_bfloat16'.");
  }
  policy.name = mode + kFrom + source.name;
  policy.map = nullptr;
  return policy;
}

DTypePolicy DTypePolicy::source() const {
  if (quantization_mode.empty()) return *this;
  return DTypePolicy(name.substr(name.find(kFrom) + sizeof(kFrom) - 1));
}

Json DTypePolicy::serialize() const {
  if (map != nullptr) return map->serialize();
  if (quantization_mode.empty()) return keras_object("keras", "DTypePolicy", {{"name", name}});
  const char* class_name = "QuantizedDTypePolicy";
  Json config = {{"mode", name.substr(0, name.find(kFrom))}, {"source_name", source().name}};
  if (block_size) class_name = "Int4DTypePolicy";
  if (quantization_mode == "gptq") class_name = "GPTQDTypePolicy";
  if (quantization_mode == "awq") class_name = "AWQDTypePolicy";
  if (quantization_mode == "float8") {
    class_name = "QuantizedFloat8DTypePolicy";
    config["amax_history_length"] = amax_history_length;
  }
  return keras_object("keras.dtype_policies", class_name, std::move(config));
}

DTypePolicy DTypePolicy::deserialize(const Json& json) {
  if (json.is_string()) return DTypePolicy(json.get<std::string>());
  if (json.is_object() && json.contains("config") && json["config"].is_object()) {
    const Json& config = json["config"];
    if (config.contains("policy_map")) return DTypePolicyMap::deserialize(json).policy();
    if (config.contains("name") || (config.contains("mode") && config.contains("source_name"))) {
      return policy_of_config(config);
    }
  }
  throw ValueError(
      "Cannot interpret `dtype` argument. Expected a string or a dtype policy. Received: dtype={}",
      json.dump());
}

std::string DTypePolicy::text() const {
  const bool plain = map == nullptr && amax_history_length == kDefaultHistory;
  return plain ? name : serialize().dump();
}

namespace mixed_precision {

void set_global_policy(const std::string& name) {
  DTypePolicy policy(name);
  const std::lock_guard lock(g_policy_mutex);
  g_policy = std::move(policy);
}

DTypePolicy global_policy() {
  const std::lock_guard lock(g_policy_mutex);
  return g_policy ? *g_policy : DTypePolicy(dtype_name(default_float()));
}

void reset_global_policy() {
  const std::lock_guard lock(g_policy_mutex);
  g_policy.reset();
}

}  // namespace mixed_precision
}  // namespace antler
