#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/npy.h"
#include "antler/runtime/config.h"
#include "antler/training/saving.h"
#include "command_line/command.h"
#include "evaluation/predictions.h"
#include "input/data_arguments.h"
#include "input/model_data.h"
#include "models/device.h"
#include "models/model_file.h"
#include "models/outputs.h"

namespace antler::cli {
namespace {

struct PredictSettings {
  std::string model;
  DataArguments data;
  std::string out;
  std::string labels;
  int64_t top_k = 0;
  int64_t batch_size = 32;
  bool json = false;
};

/// Writes the outputs as arrays named like the model's outputs.
void write_arrays(const Model& model, const Tensors& outputs, const std::string& path) {
  io::NamedTensors arrays;
  const std::vector<std::string> names = model.output_names();
  for (size_t i = 0; i < outputs.size(); ++i) {
    arrays.emplace_back(i < names.size() ? names[i] : format("output_{}", i), outputs[i]);
  }
  io::save_npz(path, arrays);
}

std::vector<std::string> labels_of(const PredictSettings& s, const DataPlan& plan) {
  if (!s.labels.empty()) return read_labels(s.labels);
  std::vector<std::string> labels = plan.classes();
  if (labels.empty() && plan.table) labels = {plan.table->target};
  return labels;
}

[[noreturn]] void refuse_outputs(size_t count) {
  throw ValueError("The model has {} outputs: write them with --out FILE.npz.", count);
}

/// The predictions as JSON or CSV.
std::string string_of(const Tensors& outputs, const PredictSettings& s, const DataPlan& plan,
                      const Samples& samples, bool json) {
  if (outputs.size() != 1) refuse_outputs(outputs.size());
  const Predictions predictions{outputs[0], labels_of(s, plan), samples.files, s.top_k};
  return json ? predictions.to_json().dump(s.out.empty() ? -1 : 1) + "\n" : predictions.to_csv();
}

void write_outputs(const Model& model, const Tensors& outputs, const PredictSettings& s,
                   const DataPlan& plan, const Samples& samples, const std::string& path) {
  if (path.ends_with(".npz")) {
    write_arrays(model, outputs, path);
  } else if (path.ends_with(".npy") && outputs.size() == 1) {
    io::save_npy(path, outputs[0]);
  } else {
    write_file_atomically(path, string_of(outputs, s, plan, samples, path.ends_with(".json")));
  }
}

int run_predict(const PredictSettings& s) {
  const std::string extension = std::filesystem::path(s.out).extension().string();
  check_output(s.out, {".csv", ".json", ".npz", ".npy"});
  if (s.data.threads > 0) config::set_threads(s.data.threads);
  Model model = open_model(s.model);
  DataOptions options = data_options_for(model, s.model);
  s.data.apply_to(options);
  options.needs_y = false;
  options.batch_size = s.batch_size;
  const size_t outputs_of_model = model.output_names().size();
  if (outputs_of_model > 1 && extension != ".npz") refuse_outputs(outputs_of_model);
  const LoadedData data = load_data(s.data.path, options);
  const Samples& samples = data.held_out.given() ? data.held_out : data.samples;
  PredictOptions predict{.verbose = 0};
  if (!samples.batches) predict.batch_size = s.batch_size;
  const Tensors outputs = model.predict(samples.inputs(model), predict).flatten();
  std::string out;
  if (!s.out.empty()) {
    out = write_or_keep(s.out, {}, [&](const std::string& path) {
      write_outputs(model, outputs, s, options.plan, samples, path);
    });
  } else {
    std::fputs(string_of(outputs, s, options.plan, samples, s.json).c_str(), stdout);
  }
  if (s.json && !s.out.empty()) {
    const Json result = {{"out", out}, {"samples", outputs[0].shape()[0]}};
    std::printf("%s\n", result.dump().c_str());
  }
  return out == s.out ? 0 : 1;
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("predict", "Writes the outputs of a model for data");
  const auto s = std::make_shared<PredictSettings>();
  command->add_option("model", s->model, kModelHelp)->required();
  add_device_option(*command);
  add_data_arguments(*command, s->data,
                     "As for fit, but without targets; also a single image or a folder of images")
      ->required();
  command->add_option("--out", s->out, "A .csv, .json, .npz or .npy file; default: .csv on stdout");
  command->add_option("--top-k", s->top_k, "Only the k largest outputs, with their labels; 0: all")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--labels", s->labels,
                      "A file with the names of the classes 0, 1, ..., one per line");
  add_batch_size(*command, s->batch_size);
  command->add_flag("--json", s->json,
                    "Print the predictions as JSON; with --out a line about the file");
  command->callback([&run, s] { run = [s] { return run_predict(*s); }; });
}

}  // namespace antler::cli
