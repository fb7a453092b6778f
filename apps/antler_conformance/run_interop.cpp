// Models and weights in files written by other programs.
#include <algorithm>
#include <filesystem>
#include <numeric>

#include "antler/training/saving.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

/// Loads the model of a case, or its architecture and then the weights.
Model load_saved_model(const GoldenCase& golden) {
  const auto path = [&](const std::string& name) { return (golden.folder / name).string(); };
  const std::string file = golden.json.at("file").get<std::string>();
  const bool has_architecture = std::filesystem::exists(path("architecture.json"));
  const bool has_initial = std::filesystem::exists(path("model_initial.keras"));
  if (!has_architecture && !has_initial) return load_model(path(file));
  Model model = has_architecture ? model_from_config(read_json(path("architecture.json")))
                                 : load_model(path("model_initial.keras"));
  const std::string weights = golden.json.value("weights_file", file);
  model.load_weights(path(weights));
  return model;
}

/// The index of each weight in the file's list. The list has the model's order. Only the list of a
/// graph without layers has all trainable weights first; there, weights are matched by name.
std::vector<size_t> places_of(const Variables& weights, const Json& listed) {
  std::vector<size_t> places(weights.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::vector<size_t> by_name;
  for (const Variable& weight : weights) {
    for (size_t j = 0; j < listed.size(); ++j) {
      std::string path = listed[j].at(0).get<std::string>();
      std::replace(path.begin(), path.end(), '/', '_');
      if (path == weight.name()) by_name.push_back(j);
    }
  }
  return by_name.size() == places.size() ? by_name : places;
}

}  // namespace

void run_interop(const GoldenCase& golden, Check& check) {
  const Json& json = golden.json;
  Model model = make_or_unsupported([&] { return load_saved_model(golden); });
  const Variables weights = model.weights();
  check.equal("number of weights", weights.size(), json.at("weights").size());
  const std::vector<size_t> places = places_of(weights, json.at("weights"));
  for (size_t j = 0; j < weights.size(); ++j) {
    const std::string name = format("w{}", places[j]);
    if (golden.has(name)) check.array(name, weights[j].stored());
  }
  Tensors inputs;
  for (const Json& name : json.at("inputs"))
    inputs.push_back(golden.array(name.get<std::string>()));
  const Nest outputs =
      model(inputs.size() == 1 ? Nest(inputs[0]) : Nest(inputs), {.training = false});
  const Tensors leaves = outputs.flatten();
  for (size_t j = 0; j < leaves.size(); ++j) {
    const std::string name = format("predict{}", j);
    if (golden.has(name)) check.array(name, leaves[j]);
  }
  if (json.contains("optimizer_iterations")) {
    check.truth("optimizer", model.has_optimizer(), "was not loaded");
    if (!model.has_optimizer()) return;
    check.equal("optimizer_iterations",
                static_cast<int64_t>(model.optimizer().update_count().item()),
                json["optimizer_iterations"]);
  }
}

}  // namespace antler::conformance
