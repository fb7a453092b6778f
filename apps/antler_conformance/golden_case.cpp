#include "golden_case.h"

#include <algorithm>
#include <limits>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/npy.h"

namespace antler::conformance {

const Tensor& GoldenCase::array(const std::string& name) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) throw KeyError("the case has no array '{}'", name);
  return found->second;
}

const Tensor& GoldenCase::expected(const std::string& name) const {
  compared.insert(name);
  const auto found = alternative.empty() ? arrays.end() : arrays.find(alternative + name);
  return found != arrays.end() ? found->second : array(name);
}

Json read_json(const std::filesystem::path& path) {
  const std::string text = read_file(path.string());
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw ValueError("'{}' is not valid JSON.", path.string());
  return json;
}

std::vector<CaseEntry> list_cases(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(root)) throw NotFoundError("There is no folder '{}'.", root.string());
  std::vector<CaseEntry> cases;
  if (fs::exists(root / "index.json")) {
    const Json index = read_json(root / "index.json");
    for (const Json& entry : index.at("cases")) {
      cases.push_back({entry.at("id").get<std::string>(), entry.at("kind").get<std::string>(),
                       root / entry.at("path").get<std::string>()});
    }
    return cases;
  }
  for (const auto& file : fs::recursive_directory_iterator(root)) {
    if (file.path().filename() != "case.json") continue;
    const Json json = read_json(file.path());
    cases.push_back({json.at("id").get<std::string>(), json.at("kind").get<std::string>(),
                     file.path().parent_path()});
  }
  std::sort(cases.begin(), cases.end(),
            [](const CaseEntry& a, const CaseEntry& b) { return a.id < b.id; });
  return cases;
}

GoldenCase load_case(const CaseEntry& entry) {
  GoldenCase c{.id = entry.id, .kind = entry.kind, .folder = entry.folder};
  c.json = read_json(entry.folder / "case.json");
  const auto data = entry.folder / "data.npz";
  if (std::filesystem::exists(data)) {
    for (auto& [name, tensor] : io::load_npz(data.string())) c.arrays[name] = tensor;
  }
  return c;
}

bool is_number(const Json& value) {
  return value.is_number() || value.is_boolean() || value == "NaN" || value == "Infinity" ||
         value == "-Infinity";
}

double number(const Json& value) {
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  if (!value.is_number()) throw TypeError("expected a number, received {}", value.dump());
  return value.get<double>();
}

}  // namespace antler::conformance
