#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/npy.h"
#include "antler/training/saving.h"
#include "command.h"
#include "model_data.h"
#include "outputs.h"
#include "predictions.h"

namespace antler::cli {
namespace {

struct Settings {
  std::string model;
  std::string data;
  std::string out;
  std::string labels;
  int64_t top_k = 0;
  int64_t batch_size = 32;
  bool json = false;
};

/// All outputs as arrays by their names.
void write_arrays(const Model& model, const Tensors& outputs, const std::string& path) {
  io::NamedTensors arrays;
  const std::vector<std::string> names = model.output_names();
  for (size_t i = 0; i < outputs.size(); ++i) {
    arrays.emplace_back(i < names.size() ? names[i] : "output_" + std::to_string(i), outputs[i]);
  }
  io::save_npz(path, arrays);
}

std::vector<std::string> labels_of(const Settings& s, const DataPlan& plan) {
  if (!s.labels.empty()) return read_labels(s.labels);
  std::vector<std::string> labels = plan.classes();
  if (labels.empty() && plan.table) labels = {plan.table->target};
  return labels;
}

int run_predict(const Settings& s) {
  const std::string extension = std::filesystem::path(s.out).extension().string();
  check_output(s.out, {".csv", ".json", ".npz", ".npy"});
  Model model = load_model(s.model);
  DataOptions options = data_options_for(model, s.model);
  options.needs_y = false;
  options.batch_size = s.batch_size;
  const LoadedData data = load_data(s.data, options);
  const Samples& samples = data.held_out.given() ? data.held_out : data.samples;
  PredictOptions predict{.verbose = 0};
  if (!samples.batches) predict.batch_size = s.batch_size;
  const Tensors outputs = model.predict(samples.inputs(model), predict).flatten();
  if (extension == ".npz") {
    write_arrays(model, outputs, s.out);
  } else if (outputs.size() != 1) {
    throw ValueError("The model has " + std::to_string(outputs.size()) +
                     " outputs: write them with --out FILE.npz.");
  } else if (extension == ".npy") {
    io::save_npy(s.out, outputs[0]);
  } else {
    const Predictions predictions{outputs[0], labels_of(s, options.plan), samples.files, s.top_k};
    const bool json = extension == ".json" || (s.out.empty() && s.json);
    const std::string text =
        json ? predictions.to_json().dump(s.out.empty() ? -1 : 1) + "\n" : predictions.to_csv();
    if (s.out.empty()) {
      std::fputs(text.c_str(), stdout);
    } else {
      write_file_atomically(s.out, text);
    }
  }
  if (s.json && !s.out.empty()) {
    const Json result = {{"out", s.out}, {"samples", outputs[0].shape()[0]}};
    std::printf("%s\n", result.dump().c_str());
  }
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("predict", "Writes the outputs of a model for data");
  const auto s = std::make_shared<Settings>();
  command->add_option("model", s->model, kModelHelp)->required();
  command
      ->add_option("data", s->data,
                   "As for fit, targets are not needed; also a single image, or a folder of them")
      ->required();
  command->add_option("--out", s->out, "A .csv, .json, .npz or .npy file; default: .csv on stdout");
  command->add_option("--top-k", s->top_k, "Only the k largest outputs, with their labels; 0 = all")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--labels", s->labels,
                      "A file with the name of class 0, 1, ... on each line");
  command->add_option("--batch-size", s->batch_size)
      ->capture_default_str()
      ->check(whole_from_one());
  command->add_flag("--json", s->json,
                    "Predictions as JSON on stdout; with --out one line about the file");
  command->callback([&run, s] { run = [s] { return run_predict(*s); }; });
}

}  // namespace antler::cli
