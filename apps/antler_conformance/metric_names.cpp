#include "metric_names.h"

#include <algorithm>
#include <regex>

#include "antler/nn/metric.h"

namespace antler::conformance {

void MetricNames::note(const Json& json) {
  if (json.is_structured()) {
    if (json.is_object() && json.contains("class_name")) return;
    for (const Json& item : json) note(item);
  }
  if (!json.is_string()) return;
  const std::string name = json.get<std::string>();
  if (name.empty() || name[0] < 'A' || name[0] > 'Z' || metrics::is_resolved_by_shape(name)) return;
  std::string own = metrics::get(name)->name();
  static const std::regex kCount("_\\d+$");  // counts objects of the class in this process
  own = std::regex_replace(own, kCount, "");
  if (own != name) own_[name] = own;
}

Json MetricNames::ours_in(const Json& json) const {
  const auto renamed = [&](const std::string& key) {
    for (const auto& [name, own] : own_) {
      if (key == name || key.ends_with("_" + name))  // with the name of an output or "val"
        return key.substr(0, key.size() - name.size()) + own;
    }
    return key;
  };
  if (own_.empty()) return json;
  if (json.is_string()) return renamed(json.get<std::string>());
  if (json.is_array()) {
    Json list = Json::array();
    bool names = !json.empty();
    for (const Json& item : json) {
      list.push_back(ours_in(item));
      names = names && item.is_string();
    }
    if (names && std::is_sorted(json.begin(), json.end())) std::sort(list.begin(), list.end());
    return list;
  }
  if (!json.is_object()) return json;
  Json object = Json::object();
  for (const auto& [key, value] : json.items()) object[renamed(key)] = ours_in(value);
  return object;
}

std::string MetricNames::in_keras3(const std::string& key) const {
  for (const auto& [name, own] : own_) {
    if (key == own || key.ends_with("_" + own))
      return key.substr(0, key.size() - own.size()) + name;
  }
  return key;
}

}  // namespace antler::conformance
