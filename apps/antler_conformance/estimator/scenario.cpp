#include "estimator/scenario.h"

#include <algorithm>
#include <fstream>

#include "recorder.h"

namespace antler::conformance::estimators {
namespace {

est::ParamValue param_of(const Json& value) {
  if (value.is_null()) return None;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) throw Unsupported{"a parameter like " + value.dump()};
  bool integers = true;
  bool numbers = true;
  for (const Json& item : value) {
    integers = integers && item.is_number_integer();
    numbers = numbers && item.is_number();
  }
  if (integers) return value.get<std::vector<int64_t>>();
  if (numbers) return value.get<std::vector<double>>();
  return value.get<std::vector<std::string>>();
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

Scenario::Scenario(const GoldenCase& golden)
    : golden_(golden),
      // When the cases were made, the paths of other folders in TMP also began with this one, so
      // they were recorded as MODEL_DIR plus a suffix.
      model_dir_(folder_.path() / "tmp" / "m"),
      tmp_(folder_.path() / "tmp"),
      last_export_(folder_.path() / "no_export") {
  std::filesystem::create_directory(tmp_);
}

const Json& Scenario::declared(const char* section, const std::string& name) const {
  return golden_.json.at(section).at(name);
}

std::string Scenario::path(const Json& text) const {
  auto path = text.get<std::string>();
  const std::pair<std::string, const std::string*> names[] = {
      {"MODEL_DIR", &model_dir_}, {"TMP", &tmp_}, {"LAST_EXPORT", &last_export_}};
  for (const auto& [name, folder] : names) {
    if (path.starts_with(name)) return path.replace(0, name.size(), *folder);
  }
  return path;
}

std::string Scenario::portable(std::string text) const {
  replace_all(text, model_dir_, "MODEL_DIR");
  replace_all(text, tmp_, "TMP");
  return text;
}

std::string Scenario::file_with(const std::string& text) {
  const std::string path = folder_.path() / format("file_{}.txt", files_++);
  std::ofstream(path) << text;
  return path;
}

Tensor Scenario::array(const Json& value) const {
  if (value.is_string()) return golden_.array(value.get<std::string>().substr(1));
  if (value.is_number()) return Tensor::full(DType::float32, {}, number(value));
  throw Unsupported{"an array given as " + value.dump()};
}

void Scenario::add_estimator(const std::string& name, est::Estimator estimator) {
  estimators_.insert_or_assign(name, std::move(estimator));
}

const est::Estimator& Scenario::estimator(const std::string& name) const {
  return estimators_.at(name);
}

void Scenario::note_final_ops() {
  for (const auto& hook : final_ops_) {
    if (hook->final_ops_values().empty()) continue;
    Json values = Json::object();
    for (const auto& [name, value] : hook->final_ops_values()) values[name] = to_json(Nest(value));
    note({"FinalOpsHook", "final_ops_values", values});
  }
}

bool same(const Json& a, const Json& b) {
  if (!a.is_structured() || !b.is_structured()) return a == b;
  if (a.is_object() != b.is_object() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), same);
  return std::all_of(a.items().begin(), a.items().end(), [&](const auto& item) {
    return b.contains(item.key()) && same(item.value(), b[item.key()]);
  });
}

est::Params params_of(const Json& object) {
  est::Params params;
  for (const auto& [key, value] : object.items()) params.set(key, param_of(value));
  return params;
}

Json params_json(const est::Params& params) { return Json::parse(params.str()); }

}  // namespace antler::conformance::estimators
