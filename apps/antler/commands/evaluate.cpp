#include <cstdio>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/runtime/config.h"
#include "antler/training/saving.h"
#include "command_line/command.h"
#include "evaluation/report.h"
#include "input/data_arguments.h"
#include "input/model_data.h"
#include "models/compile_model.h"
#include "models/device.h"
#include "models/model_file.h"
#include "models/outputs.h"

namespace antler::cli {
namespace {

struct EvaluateSettings {
  std::string model;
  DataArguments data;
  int64_t batch_size = 32;
  CompileSettings compile;
  std::string report;
  bool json = false;
};

DataOptions options_of(const Model& model, const EvaluateSettings& s) {
  DataOptions options = data_options_for(model, s.model, s.compile.loss);
  s.data.apply_to(options);
  options.batch_size = s.batch_size;
  return options;
}

int run_evaluate(const EvaluateSettings& s) {
  check_output(s.report);
  if (s.data.threads > 0) config::set_threads(s.data.threads);
  Model model = open_model(s.model);
  const LoadedData data = load_data(s.data.path, options_of(model, s));
  compile_model(model, s.compile, data);
  const Samples& samples = data.held_out.given() ? data.held_out : data.samples;
  if (!s.report.empty() && !samples.batches && !(samples.x.defined() && samples.y.defined())) {
    throw ValueError("--report requires a model with one input and one output.");
  }
  EvaluateOptions options{.verbose = s.json ? 0 : 1};
  if (!samples.batches) options.batch_size = s.batch_size;
  const HostLogs logs = model.evaluate(samples.inputs(model), samples.targets(), options);
  Json result = Json::object();
  for (const auto& [name, value] : logs) {
    result[name] = value;
    if (!s.json) std::printf("%s: %.4f\n", name.c_str(), value);
  }
  if (!s.report.empty()) {
    const std::vector<std::string> classes = data.plan.classes();
    const ReportInput input{s.model, s.data.path, logs, samples, classes};
    write_file_atomically(s.report, evaluation_report(model, input));
    result["report"] = s.report;
    if (!s.json) std::printf("report: %s\n", s.report.c_str());
  }
  if (s.json) std::printf("%s\n", result.dump().c_str());
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("evaluate", "Prints the loss and metrics of a model on data");
  const auto s = std::make_shared<EvaluateSettings>();
  command->add_option("model", s->model, kModelHelp)->required();
  add_device_option(*command);
  add_data_arguments(*command, s->data, "As for fit; if the data has a test set, only that is used")
      ->required();
  command->add_option("--loss", s->compile.loss, "Default: the model's");
  command->add_option("--metrics", s->compile.metrics, "Default: the model's")->delimiter(',');
  add_batch_size(*command, s->batch_size);
  command->add_option("--report", s->report,
                      "Write a page (.html) with metrics, confusion matrix and samples");
  command->add_flag("--json", s->json, "Print only one line of JSON");
  command->callback([&run, s] { run = [s] { return run_evaluate(*s); }; });
}

}  // namespace antler::cli
