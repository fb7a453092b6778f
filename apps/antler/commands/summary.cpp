#include <cstdio>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/training/saving.h"
#include "command_line/command.h"
#include "models/model_dir.h"
#include "models/model_file.h"

namespace antler::cli {
namespace {

int64_t count(const Variables& variables) {
  int64_t sum = 0;
  for (const Variable& variable : variables) sum += variable.shape().num_elements();
  return sum;
}

Json to_json(const Model& model) {
  Json layers = Json::array();
  for (const LayerPtr& layer : model.layers()) {
    layers.push_back({{"name", layer->name()},
                      {"class_name", layer->class_name()},
                      {"params", layer->built() ? layer->count_params() : 0},
                      {"trainable", layer->trainable()}});
  }
  const auto specs = [](const Tensors& placeholders) {
    Json list = Json::array();
    for (const Tensor& t : placeholders)
      list.push_back({{"shape", t.shape().str()}, {"dtype", dtype_name(t.dtype())}});
    return list;
  };
  return {{"name", model.name()},
          {"inputs", specs(model.inputs())},
          {"outputs", specs(model.outputs())},
          {"compiled", model.compiled()},
          {"trainable_params", count(model.trainable_variables())},
          {"non_trainable_params", count(model.non_trainable_variables())},
          {"layers", layers}};
}

/// The variables of the newest checkpoint.
int summarize_model_dir(const std::string& path, bool json) {
  const CheckpointContents contents = read_contents(path);
  if (!json) {
    std::printf("%s", variable_table(contents).c_str());
    return 0;
  }
  Json variables = Json::array();
  for (const CheckpointVariable& variable : contents.variables) {
    variables.push_back(
        {{"name", variable.name}, {"shape", variable.shape.dims()}, {"dtype", variable.dtype}});
  }
  const Json line = {{"checkpoint", contents.prefix}, {"variables", variables}};
  std::printf("%s\n", line.dump().c_str());
  return 0;
}

}  // namespace

void add_summary(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("summary", "Prints the layers of a model");
  const auto path = std::make_shared<std::string>();
  const auto options = std::make_shared<SummaryOptions>();
  const auto json = std::make_shared<bool>(false);
  command
      ->add_option("model", *path,
                   std::string(kModelHelp) +
                       ", the .json of an architecture, or the model_dir of an Estimator")
      ->required();
  command->add_flag("--expand-nested", options->expand_nested, "Show the layers of nested models");
  command->add_flag("--show-trainable", options->show_trainable, "Show which layers are trainable");
  command->add_option("--line-length", options->line_length, "Number of characters in a line")
      ->capture_default_str();
  command->add_flag("--json", *json, "Print only one line of JSON");
  command->callback([&run, path, options, json] {
    run = [path, options, json] {
      if (is_model_dir(*path)) return summarize_model_dir(*path, *json);
      const Model model = open_architecture(*path);
      if (*json) {
        std::printf("%s\n", to_json(model).dump().c_str());
      } else {
        model.summary(*options);
      }
      return 0;
    };
  });
}

}  // namespace antler::cli
