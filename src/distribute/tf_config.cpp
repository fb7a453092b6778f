#include "antler/distribute/tf_config.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <system_error>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/json.h"

namespace antler::distribute {
namespace {

/// The value of the entry; null if it is missing or JSON null.
const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> find_string(const Json& object, const char* key, const char* path) {
  const Json* value = find(object, key);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  throw TypeError("TF_CONFIG: {} must be a string. Received: {}.", path, value->type_name());
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The index of the task: an integer, or a string that contains one.
std::optional<int64_t> find_index(const Json& task) {
  const Json* value = find(task, "index");
  if (value == nullptr) return {};
  int64_t index = -1;
  if (value->is_number_unsigned()) {
    const auto number = value->get<uint64_t>();
    if (number <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      index = static_cast<int64_t>(number);
    }
  } else if (value->is_string()) {
    const auto& text = value->get_ref<const std::string&>();
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, index);
    if (read.ec != std::errc() || read.ptr != end) index = -1;
  } else if (!value->is_number_integer()) {
    throw TypeError("TF_CONFIG: task.index must be an integer. Received: {}.", value->type_name());
  }
  if (index >= 0) return index;
  throw ValueError("Task index must be non-negative number. Received: TF_CONFIG: task.index={}.",
                   dump(*value));
}

/// The service as JSON text.
std::optional<std::string> find_service(const Json& json) {
  const Json* service = find(json, "service");
  if (service == nullptr) return {};
  if (service->is_object()) return dump(*service);
  throw TypeError("If \"service\" is set in TF_CONFIG, it must be a dict. Given {}.",
                  service->type_name());
}

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 9: ..."
    const std::string_view message = error.what();
    const size_t prefix = message.find("] ");
    throw ValueError("TF_CONFIG is not JSON: {}.",
                     prefix == std::string_view::npos ? message : message.substr(prefix + 2));
  }
}

}  // namespace

TFConfig TFConfig::parse(std::string_view text) {
  TFConfig config;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return config;
  const Json json = parse_json(text);
  if (!json.is_object()) {
    throw TypeError("TF_CONFIG must be an object like {}. Received: {}.",
                    R"({"cluster": {...}, "task": {...}})", json.type_name());
  }
  if (const Json* cluster = find(json, "cluster")) {
    config.cluster = ClusterSpec::from_dict(*cluster, "TF_CONFIG: cluster");
  }
  if (const Json* task = find(json, "task")) {
    if (!task->is_object()) {
      throw TypeError("TF_CONFIG: task must be an object like {}. Received: {}.",
                      R"({"type": "worker", "index": 0})", task->type_name());
    }
    config.task_type = find_string(*task, "type", "task.type");
    config.task_id = find_index(*task);
  }
  config.rpc_layer = find_string(json, "rpc_layer", "rpc_layer");
  config.session_master = find_string(json, "session_master", "session_master");
  config.eval_session_master = find_string(json, "eval_session_master", "eval_session_master");
  config.model_dir = find_string(json, "model_dir", "model_dir");
  config.service = find_service(json);
  return config;
}

TFConfig TFConfig::from_environment() {
  const char* text = std::getenv("TF_CONFIG");
  return text == nullptr ? TFConfig{} : parse(text);
}

std::string TFConfig::str() const {
  Json json = {{"cluster", cluster.as_dict()}};
  if (task_type || task_id) {
    Json& task = json["task"] = Json::object();
    if (task_type) task["type"] = *task_type;
    if (task_id) task["index"] = *task_id;
  }
  if (rpc_layer) json["rpc_layer"] = *rpc_layer;
  if (session_master) json["session_master"] = *session_master;
  if (eval_session_master) json["eval_session_master"] = *eval_session_master;
  if (model_dir) json["model_dir"] = *model_dir;
  if (service) json["service"] = parse_json(*service);
  return dump(json);
}

}  // namespace antler::distribute
