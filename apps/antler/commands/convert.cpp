#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/training/export.h"
#ifdef ANTLER_PJRT
#include "antler/pjrt/export_stablehlo.h"
#endif
#include "command_line/command.h"
#include "input/data_plan.h"
#include "models/model_dir.h"
#include "models/model_file.h"
#include "models/outputs.h"

namespace antler::cli {
namespace {

namespace fs = std::filesystem;

struct ConvertSettings {
  std::string from;
  std::string to;
  std::string weights;
  int64_t batch_size = 1;
  bool json = false;
};

bool is_saved_model(const std::string& path) {
  return path.ends_with(".savedmodel") || path.ends_with("/");
}

/// Copies the data plan, which has the names of the classes, along with the model.
void copy_data_plan(const ConvertSettings& s) {
  const auto without_slash = [](std::string path) {
    while (path.size() > 1 && path.ends_with("/")) path.pop_back();
    return path;
  };
  const std::string from = without_slash(s.from);
  const std::string to = without_slash(s.to);
  if (from != to) DataPlan::load_beside(from).save_beside(to);
}

/// Throws ValueError for the graph of a SavedModel: it has no layers, so no other model could load
/// its weights.
void check_has_layers(const Model& model, const ConvertSettings& s) {
  const std::vector<LayerPtr> layers = model.layers();
  const bool graph = fs::exists(fs::path(s.from) / "saved_model.pb") &&
                     std::any_of(layers.begin(), layers.end(), [](const LayerPtr& layer) {
                       return layer->class_name() == "TFSMLayer";
                     });
  if (!graph) return;
  throw ValueError(
      "Cannot write '{}': '{}' contains a graph without layers, so no other model could load its "
      "weights. With a file of the model's architecture, use: antler convert MODEL.keras {} "
      "--weights {}",
      s.to, s.from, s.to, s.from);
}

void write_stablehlo([[maybe_unused]] const Model& model, const ConvertSettings& s) {
#ifdef ANTLER_PJRT
  export_stablehlo(model, s.to, {.batch_size = s.batch_size});
#else
  throw ValueError("Cannot write '{}': this antler was built without antler::pjrt.", s.to);
#endif
}

int run_convert(const ConvertSettings& s) {
  if (!is_saved_model(s.to)) check_output(s.to);
  if (is_model_dir(s.from)) {
    convert_variables(s.from, s.to);
    if (s.json) std::printf("%s\n", Json{{"out", s.to}}.dump().c_str());
    return 0;
  }
  Model model = open_architecture(s.from);
  const bool weights = is_weights(s.to);
  if (weights) check_has_layers(model, s);
  if (!s.weights.empty()) model.load_weights(s.weights);
  if (s.to.ends_with(".keras") ||
      (!weights && (s.to.ends_with(".h5") || s.to.ends_with(".hdf5")))) {
    model.save(s.to);
    copy_data_plan(s);
  } else if (s.to.ends_with(".json") && !s.to.ends_with(".weights.json")) {
    write_file_atomically(s.to, model.to_json() + "\n");
  } else if (weights) {
    model.save_weights(s.to);
  } else if (s.to.ends_with(".onnx")) {
    export_model(model, s.to);
  } else if (s.to.ends_with(".mlir")) {
    write_stablehlo(model, s);
  } else if (is_saved_model(s.to)) {
    export_model(model, s.to);
    copy_data_plan(s);
  } else {
    throw ValueError(
        "Cannot write '{}': the name must end in .keras, .h5, .json, .weights.h5, .npz, "
        ".safetensors, .ckpt, .onnx, .mlir or, for the folder of a SavedModel, .savedmodel or /.",
        s.to);
  }
  if (s.json) std::printf("%s\n", Json{{"out", s.to}}.dump().c_str());
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("convert", "Writes a model in another format, chosen by the file name");
  const auto s = std::make_shared<ConvertSettings>();
  command
      ->add_option(
          "from", s->from,
          "A .keras or .h5 file, the folder of a SavedModel, the .json of an architecture, or the "
          "model_dir of an Estimator")
      ->required();
  command
      ->add_option("to", s->to,
                   "A .keras, .h5, .json, .weights.h5, .npz, .safetensors, .ckpt, .onnx or .mlir "
                   "(StableHLO) file, or the folder of a SavedModel (ends in .savedmodel or /)")
      ->required();
  command
      ->add_option("--batch-size", s->batch_size, "Of a .mlir file: the only one that it accepts")
      ->capture_default_str()
      ->check(positive_integer());
  command->add_option(
      "--weights", s->weights,
      "Weights to load first: .weights.h5, .npz, .safetensors, .keras, .h5, the path "
      "of a checkpoint without .index, or the folder of a SavedModel");
  command->add_flag("--json", s->json, "Print a line of JSON about the written file");
  command->callback([&run, s] { run = [s] { return run_convert(*s); }; });
}

}  // namespace antler::cli
