#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/random_seed.h"
#include "antler/runtime/config.h"
#include "antler/training/saving.h"
#include "command_line/command.h"
#include "input/data_arguments.h"
#include "models/network.h"
#include "models/outputs.h"

namespace antler::cli {
namespace {

struct NewSettings {
  std::string model;
  DataArguments data;
  NetworkSettings network;
  std::optional<uint64_t> seed;
  bool json = false;
};

/// A complete application model, made without data.
Model new_application(const NewSettings& s) {
  if (s.network.application.name.empty()) {
    throw ValueError("antler new needs DATA or --application.");
  }
  return whole_application(s.network.application);
}

void report_new(const NewSettings& s, const Model& model, const Json& facts) {
  if (s.json) {
    Json result = {{"out", s.model}, {"params", model.count_params()}};
    result.update(facts);
    std::printf("%s\n", result.dump().c_str());
    return;
  }
  model.summary();
  std::printf("saved: %s\n", s.model.c_str());
  if (s.data.path.empty()) return;
  std::printf("next: antler fit %s %s --epochs 20 --out trained.keras\n", s.model.c_str(),
              s.data.path.c_str());
}

int run_new(const NewSettings& s) {
  // Users often swap the two arguments.
  if (s.data.path.ends_with(".keras") && !s.model.ends_with(".keras")) {
    throw ValueError("The model comes first: antler new {} {}", s.data.path, s.model);
  }
  check_output(s.model, {".keras", ".h5", ".hdf5"});
  if (s.data.threads > 0) config::set_threads(s.data.threads);
  if (s.seed) set_random_seed(*s.seed);
  if (s.data.path.empty()) {
    const Model model = new_application(s);
    model.save(s.model);
    report_new(s, model, {{"kind", model.name()}});
    return 0;
  }
  DataOptions options;
  s.data.apply_to(options);
  apply_to(options, s.network);
  const LoadedData data = load_data(s.data.path, options);
  if (!s.json) std::printf("%s\n%s", s.data.path.c_str(), data.found.c_str());
  const Network network = make_network(s.network, data);
  network.model.save(s.model);
  data.plan.save_beside(s.model);
  report_new(s, network.model, {{"kind", network.kind}, {"classes", network.classes}});
  return 0;
}

}  // namespace

void add_new(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("new", "Creates an untrained model for the data");
  const auto s = std::make_shared<NewSettings>();
  command->add_option("model", s->model, "The .keras file to write")->required();
  add_data_arguments(*command, s->data, "As for fit; optional with --application");
  add_network_options(*command, s->network);
  command
      ->add_option("--input-shape", s->network.application.input_shape,
                   "Input of the application without DATA: height,width,channels")
      ->delimiter(',')
      ->expected(3)
      ->check(positive_integer());
  command
      ->add_option("--classes", s->network.application.classes,
                   "Classes of the application without DATA; default: 1000")
      ->check(positive_integer());
  command->add_option("--seed", s->seed, "Seed of the initial weights");
  command->add_flag("--json", s->json, "Print only one line of JSON");
  command->callback([&run, s] { run = [s] { return run_new(*s); }; });
}

}  // namespace antler::cli
