#include <cstdio>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/training/saving.h"
#include "command.h"
#include "data_files.h"

namespace antler::cli {
namespace {

struct Settings {
  std::string model;
  std::string data;
  int64_t batch_size = 32;
  bool json = false;
};

int run_evaluate(const Settings& s) {
  Model model = load_model(s.model);
  const LoadedData data = load_data(s.data, {.plan = plan_beside(s.model)});
  const bool held_out = data.test_x.defined() && data.test_y.defined();
  const Tensor x = fit_input(model, held_out ? data.test_x : data.x);
  const HostLogs logs = model.evaluate(x, held_out ? data.test_y : data.y,
                                       {.batch_size = s.batch_size, .verbose = s.json ? 0 : 1});
  Json result = Json::object();
  for (const auto& [name, value] : logs) {
    result[name] = value;
    if (!s.json) std::printf("%s: %.4f\n", name.c_str(), value);
  }
  if (s.json) std::printf("%s\n", result.dump().c_str());
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("evaluate", "Prints loss and metrics of a model on data");
  const auto s = std::make_shared<Settings>();
  command->add_option("model", s->model, "A compiled .keras file")->required();
  command->add_option("data", s->data, "As for fit; held-out data is used where there is some")
      ->required();
  command->add_option("--batch-size", s->batch_size)->capture_default_str();
  command->add_flag("--json", s->json, "One JSON line as the only output");
  command->callback([&run, s] { run = [s] { return run_evaluate(*s); }; });
}

}  // namespace antler::cli
