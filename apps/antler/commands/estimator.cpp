// `antler estimator inspect`, which shows the contents of an Estimator's folder.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/json.h"
#include "antler/io/event_reader.h"
#include "antler/io/line_chart.h"
#include "antler/saving/checkpoint.h"
#include "command_line/command.h"
#include "models/model_dir.h"

namespace antler::cli {
namespace {

namespace fs = std::filesystem;

struct InspectSettings {
  std::string path;
  std::vector<std::string> tags;
  bool json = false;
};

/// The curves in one folder of event files. `folder` is its name within the model's folder.
struct CurvesOf {
  std::string folder;
  std::map<std::string, io::ScalarCurve> curves;
};

/// The curves of training (in the model's folder itself) and of evaluations (in its subfolders).
std::vector<CurvesOf> read_curves(const InspectSettings& s) {
  std::vector<std::string> folders = {""};
  for (const auto& entry : fs::directory_iterator(s.path)) {
    if (entry.is_directory()) folders.push_back(entry.path().filename().string());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<CurvesOf> all;
  for (const std::string& folder : folders) {
    CurvesOf found{folder, io::read_scalars((fs::path(s.path) / folder).string())};
    if (!s.tags.empty()) {
      std::erase_if(found.curves, [&](const auto& curve) {
        return std::find(s.tags.begin(), s.tags.end(), curve.first) == s.tags.end();
      });
    }
    if (!found.curves.empty()) all.push_back(std::move(found));
  }
  return all;
}

Json to_json(const InspectSettings& s) {
  Json json = {{"model_dir", s.path}};
  json["checkpoints"] = get_checkpoint_state(s.path).all_model_checkpoint_paths;
  const CheckpointContents contents = read_contents(s.path);
  json["latest"] = contents.prefix;
  json["variables"] = Json::array();
  for (const CheckpointVariable& variable : contents.variables) {
    json["variables"].push_back(
        {{"name", variable.name}, {"shape", variable.shape.dims()}, {"dtype", variable.dtype}});
  }
  json["curves"] = Json::object();
  for (const CurvesOf& found : read_curves(s)) {
    Json& curves = json["curves"][found.folder.empty() ? "." : found.folder];
    for (const auto& [tag, curve] : found.curves) {
      curves[tag] = {{"steps", curve.steps}, {"values", curve.values}};
    }
  }
  return json;
}

void print_checkpoints(const InspectSettings& s) {
  std::printf("Checkpoints of %s\n", s.path.c_str());
  for (const std::string& path : get_checkpoint_state(s.path).all_model_checkpoint_paths) {
    const bool there = fs::exists(path + ".index");
    std::printf("  %s%s\n", fs::path(path).filename().string().c_str(), there ? "" : "  (deleted)");
  }
}

void print_curves(const InspectSettings& s) {
  for (const CurvesOf& found : read_curves(s)) {
    for (const auto& [tag, curve] : found.curves) {
      const std::string title = found.folder.empty() ? tag : found.folder + ": " + tag;
      if (curve.values.size() == 1) {
        std::printf("\n%s: %g at step %lld\n", title.c_str(), curve.values[0],
                    static_cast<long long>(curve.steps[0]));
        continue;
      }
      io::LineChart chart{.title = title, .x_label = "step", .series = {}};
      chart.series.push_back(
          {.name = tag, .x = {curve.steps.begin(), curve.steps.end()}, .y = curve.values});
      std::printf("\n%s", chart.to_terminal().c_str());
    }
  }
}

int run_inspect(const InspectSettings& s) {
  if (!fs::is_directory(s.path)) throw NotFoundError("There is no folder '{}'.", s.path);
  if (s.json) {
    std::printf("%s\n", to_json(s).dump().c_str());
    return 0;
  }
  const CheckpointContents contents = read_contents(s.path);
  print_checkpoints(s);
  std::printf("\nVariables of %s\n%s", fs::path(contents.prefix).filename().string().c_str(),
              variable_table(contents).c_str());
  print_curves(s);
  return 0;
}

}  // namespace

void add_estimator(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("estimator", "Inspects the folders of Estimators");
  command->require_subcommand(1);
  CLI::App* inspect = command->add_subcommand(
      "inspect", "Lists checkpoints, variables and the curves of training and evaluation");
  const auto s = std::make_shared<InspectSettings>();
  inspect->add_option("model_dir", s->path, "The model_dir of an Estimator")->required();
  inspect->add_option("--tag", s->tags, "Show only these curves");
  inspect->add_flag("--json", s->json, "Print only one line of JSON");
  inspect->callback([&run, s] { run = [s] { return run_inspect(*s); }; });
}

}  // namespace antler::cli
