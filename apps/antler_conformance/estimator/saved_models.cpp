#include "estimator/saved_models.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "antler/core/string_handles.h"
#include "antler/io/example.h"
#include "antler/io/tensor_bundle.h"
#include "antler/saving/saved_model.h"
#include "recorder.h"

namespace antler::conformance::estimators {
namespace {

namespace fs = std::filesystem;

Json sorted_list(Json list) {
  std::sort(list.begin(), list.end());
  return list;
}

/// "export_files" has the paths of all files outside assets.extra, "extra_assets" the texts of the
/// files in it.
void check_exported_files(const std::string& where, const fs::path& folder, const Json& expected,
                          Check& check) {
  Json files = Json::array();
  Json extra = Json::object();
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const fs::path path = fs::relative(entry.path(), folder);
    files.push_back(path.string());
    if (*path.begin() != "assets.extra") continue;
    std::ifstream file(entry.path());
    extra[fs::relative(path, "assets.extra").string()] =
        std::string(std::istreambuf_iterator<char>(file), {});
  }
  if (expected.contains("export_files")) {
    check.equal(where + " files of the export", sorted_list(files),
                sorted_list(expected["export_files"]));
  }
  if (expected.contains("extra_assets")) {
    check.json(where + " assets.extra", extra, expected["extra_assets"]);
  }
}

void check_exported_variables(const std::string& where, const fs::path& folder, const Json& want,
                              Check& check) {
  const auto bundle = io::TensorBundle::open((folder / "variables" / "variables").string());
  check.equal(where + " variables of the export", bundle.keys(), want);
}

/// A serialized tf.Example for each row of these arrays.
Tensor serialized_examples(const Scenario& scenario, const Json& features) {
  std::vector<std::string> rows;
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const auto& [name, array] : features.items()) {
    arrays.emplace_back(name, scenario.array(array));
  }
  const int64_t count = arrays.at(0).second.dim(0);
  for (int64_t row = 0; row < count; ++row) {
    Nest::Items items;
    for (const auto& [name, array] : arrays) items.emplace_back(name, array[row]);
    rows.push_back(io::format_example(io::encode_example(Nest::dict(std::move(items)))));
  }
  return string_handles(StringTensor(rows));
}

std::map<std::string, Tensor> inputs_of_signature(const Scenario& scenario, const Json& inputs) {
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, value] : inputs.items()) {
    tensors[name] = value.is_object() ? serialized_examples(scenario, value.at("examples"))
                                      : scenario.array(value);
  }
  return tensors;
}

/// Nested lists of the strings of handles.
Json strings_json(const Tensor& handles) {
  const StringTensor strings = strings_of(handles);
  size_t at = 0;
  const std::function<Json(int)> nested = [&](int axis) -> Json {
    if (axis == strings.rank()) return strings.values.at(at++);
    Json list = Json::array();
    for (int64_t i = 0; i < strings.shape[axis]; ++i) list.push_back(nested(axis + 1));
    return list;
  };
  return nested(0);
}

void check_output(const std::string& where, const Tensor& got, const Json& want,
                  const Scenario& scenario, Check& check) {
  if (want.is_string()) {
    return check.arrays(where, got, scenario.golden().expected(want.get<std::string>()));
  }
  const bool strings = got.dtype() == kStringDType;
  check.json(where, strings ? strings_json(got) : to_json(Nest(got)), want);
}

void check_served(const std::string& where, const Scenario& scenario, const Json& serve,
                  const Json& want, Check& check) {
  std::vector<std::string> tags;
  read_member(serve, "tags", tags);
  const SavedModelFunction function(scenario.last_export(),
                                    serve.at("signature").get<std::string>(), tags);
  const auto outputs = function(inputs_of_signature(scenario, serve.at("inputs")));
  for (const auto& [name, value] : want.items()) {
    const auto found = outputs.find(name);
    if (found == outputs.end()) {
      check.truth(where, false, format("has no output '{}'", name));
      continue;
    }
    check_output(format("{} output '{}'", where, name), found->second, value, scenario, check);
  }
}

/// Ports as {name: [dtype, shape]}.
Json ports_json(const std::vector<SavedModelPort>& ports) {
  Json json = Json::object();
  for (const SavedModelPort& port : ports) {
    Json shape = Json::array();
    for (int axis = 0; axis < port.shape.rank(); ++axis) {
      const int64_t size = port.shape[axis];
      shape.push_back(size < 0 ? Json(nullptr) : Json(size));
    }
    json[port.name] = Json::array({port.dtype, shape});
  }
  return json;
}

/// Tags and signatures of the graphs, without the signatures that TensorFlow adds for itself.
Json graphs_json(const std::string& folder) {
  Json graphs = Json::array();
  for (const SavedModelGraph& graph : saved_model_graphs(folder)) {
    Json signatures = Json::object();
    for (const SavedModelSignature& signature : graph.signatures) {
      if (signature.name.starts_with("__saved_model")) continue;
      signatures[signature.name] = {{"method_name", signature.method_name},
                                    {"inputs", ports_json(signature.inputs)},
                                    {"outputs", ports_json(signature.outputs)}};
    }
    graphs.push_back({{"tags", graph.tags}, {"signatures", signatures}});
  }
  return graphs;
}

}  // namespace

void check_export(const std::string& where, const Scenario& scenario, const Json& call,
                  const Json& expected, Check& check) {
  const std::string& folder = scenario.last_export();
  if (expected.contains("meta_graphs")) {
    const Json got = graphs_json(folder);
    const Json& want = expected["meta_graphs"];
    check.equal(where + " number of graphs", got.size(), want.size());
    for (size_t i = 0; i < got.size() && i < want.size(); ++i) {
      check.equal(format("{} tags of graph {}", where, i), got[i].at("tags"), want[i].at("tags"));
      const Json& signatures = want[i].at("signatures");
      if (!same(got[i].at("signatures"), signatures)) {
        check.equal(format("{} signatures of graph {}", where, i), got[i].at("signatures"),
                    signatures);
      }
    }
  }
  check_exported_files(where, folder, expected, check);
  if (expected.contains("variable_names")) {
    check_exported_variables(where, folder, expected["variable_names"], check);
  }
  const Json& served = member(expected, "served");
  for (size_t j = 0; j < served.size(); ++j) {
    const std::string at = format("{} served {}", where, j);
    try {
      check_served(at, scenario, call.at("serve").at(j), served[j], check);
    } catch (const Error& error) {
      check.truth(at, false, format("threw {}: {}", error.class_name(), error.what()));
    }
  }
}

}  // namespace antler::conformance::estimators
