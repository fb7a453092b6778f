#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/training/plot_history.h"
#include "antler/training/plot_model.h"
#include "antler/training/saving.h"
#include "command_line/command.h"
#include "curves/history_file.h"
#include "models/model_file.h"

namespace antler::cli {
namespace {

struct PlotSettings {
  std::string source;
  std::string out;
  PlotModelOptions model;
  bool json = false;
};

/// Whether a file is a .json with a model's architecture.
bool is_architecture(const std::string& path) {
  if (!path.ends_with(".json")) return false;
  const Json json = Json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains("class_name");
}

void plot_curves(const PlotSettings& s) {
  const bool json = s.source.ends_with(".json");
  const auto charts =
      json ? history_charts(read_history(s.source).history) : csv_log_charts(s.source);
  if (!s.out.empty()) return save_charts(charts, s.out);
  for (const io::LineChart& chart : charts) std::printf("%s\n", chart.to_terminal().c_str());
}

int run_plot(const PlotSettings& s) {
  const bool table = s.source.ends_with(".json") || s.source.ends_with(".csv");
  if (table && !is_architecture(s.source)) {
    plot_curves(s);
  } else {
    const Model model = open_architecture(s.source, {.compile = false});
    if (s.out.empty()) {
      std::fputs(model_to_dot(model, s.model).c_str(), stdout);
    } else {
      plot_model(model, s.out, s.model);
    }
  }
  if (s.json && !s.out.empty()) std::printf("%s\n", Json{{"out", s.out}}.dump().c_str());
  return 0;
}

}  // namespace

void add_plot(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("plot", "Plots the layers of a model or the curves of a training run");
  const auto s = std::make_shared<PlotSettings>();
  command
      ->add_option(
          "source", s->source,
          "A model or the .json of an architecture; or the .json of fit --history or the .csv "
          "of a csv_logger")
      ->required();
  command->add_option(
      "out", s->out,
      "For a model: .svg, .png, .pdf (these need Graphviz) or .dot; default: .dot on "
      "stdout. For curves: .svg or .png; default: in the terminal");
  command->add_flag("--show-shapes", s->model.show_shapes, "Show the shapes of inputs and outputs");
  command->add_flag("--show-dtype", s->model.show_dtype, "The type of the outputs");
  command->add_flag("--show-layer-names", s->model.show_layer_names,
                    "Show layer names in addition to classes");
  command->add_flag("--show-layer-activations", s->model.show_layer_activations,
                    "Show the activations");
  command->add_flag("--show-trainable", s->model.show_trainable, "Show which layers are trainable");
  command->add_flag("--expand-nested", s->model.expand_nested, "Show the layers of nested models");
  command->add_option("--rankdir", s->model.rankdir, "Direction of the graph: TB, LR, BT or RL")
      ->capture_default_str();
  command->add_option("--dpi", s->model.dpi, "Resolution of .png")->capture_default_str();
  command->add_flag("--json", s->json, "Print a line of JSON about the written file");
  command->callback([&run, s] { run = [s] { return run_plot(*s); }; });
}

}  // namespace antler::cli
