#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "base/ceil_div.h"
#include "command_line/command.h"
#include "command_line/command_options.h"
#include "input/hold_out.h"
#include "models/network.h"
#include "training_run/run_training.h"

namespace antler::cli {
namespace {

struct TrainSettings {
  FitSettings fit;
  NetworkSettings network;
  std::optional<int64_t> epochs;
  std::optional<int64_t> patience;
};

/// The name of the data without folder and extensions, with ".keras".
std::string default_out(const std::string& data) {
  const std::filesystem::path path(data.substr(0, data.find(',')));
  std::string name = std::filesystem::absolute(path).lexically_normal().string();
  while (name.ends_with('/')) name.pop_back();
  name = std::filesystem::path(name).filename().string();
  name = name.substr(0, name.find('.', 1));
  return (name.empty() ? "trained" : name) + ".keras";
}

/// Enough epochs for 30,000 steps, at least 10 and at most 200.
int64_t default_epochs(int64_t samples, int64_t batch_size) {
  constexpr int64_t kSteps = 30000;
  const int64_t per_epoch = std::max<int64_t>(ceil_div(samples, batch_size), 1);
  return std::clamp<int64_t>(kSteps / per_epoch, 10, 200);
}

bool has_early_stopping(const std::vector<std::string>& callbacks) {
  return std::any_of(callbacks.begin(), callbacks.end(), [](const std::string& text) {
    std::string name;
    for (const char c : text.substr(0, text.find(':'))) {
      if (c != '_') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return name == "earlystopping";
  });
}

/// Loads the data. Its validation part becomes `held_out`; a test set of the data becomes `test`.
TrainingStart load_and_split(const FitSettings& s, const NetworkSettings& network) {
  DataOptions options;
  s.data.apply_to(options);
  apply_to(options, network);
  options.batch_size = s.batch_size;
  options.shuffle = !s.no_shuffle;
  TrainingStart start;
  LoadedData& data = start.data;
  data = load_data(s.data.path, options);
  std::swap(start.test, data.held_out);
  if (!s.validation_data.empty() || s.validation_split == 0) return start;
  if (data.samples.batches) {
    options.validation_split = s.validation_split;
    LoadedData parts = load_data(s.data.path, options);
    data.samples = std::move(parts.samples);
    data.held_out = std::move(parts.held_out);
  } else {
    hold_out(data, s.validation_split);
  }
  return start;
}

TrainingStart prepare_training(const TrainSettings& settings, FitSettings& s) {
  TrainingStart start = load_and_split(s, settings.network);
  LoadedData& data = start.data;
  const bool validates = data.held_out.given() || !s.validation_data.empty();
  s.validation_split = 0;  // done
  Network network = make_network(settings.network, data);
  start.model = network.model;
  const int64_t samples = data.samples.count();
  s.epochs = settings.epochs.value_or(default_epochs(samples, s.batch_size));
  data.found += format("  {} samples for training", samples);
  if (data.held_out.given()) data.found += format(", {} for validation", data.held_out.count());
  data.found += format("\nnetwork: {} for {}, {} parameters\n", network.kind,
                       network.classes > 0 ? format("{} classes", network.classes) : "regression",
                       network.model.count_params());
  const int64_t patience = settings.patience.value_or(std::max<int64_t>(5, s.epochs / 20));
  data.found += format("epochs: at most {}", s.epochs);
  if (validates && patience > 0 && !has_early_stopping(s.callbacks)) {
    s.callbacks.push_back(format("early_stopping:patience={},restore_best_weights=true", patience));
    data.found += format(", until the validation loss has not improved for {}", patience);
  }
  data.found += "\n";
  start.reports = true;
  start.facts = {{"kind", network.kind},
                 {"classes", network.classes},
                 {"params", network.model.count_params()}};
  return start;
}

int run_train(TrainSettings& settings) {
  FitSettings& s = settings.fit;
  if (s.data.path.ends_with(".keras")) {
    throw ValueError("'{}' is a model, not data. To continue its training: antler fit {} DATA",
                     s.data.path, s.data.path);
  }
  if (s.out.empty()) s.out = default_out(s.data.path);
  return run_training(s, [&](FitSettings& fit) { return prepare_training(settings, fit); });
}

}  // namespace

void add_train(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "train", "Creates a model for the data, trains it and saves it, all in one step");
  const auto s = std::make_shared<TrainSettings>();
  s->fit.out.clear();
  s->fit.validation_split = 0.2;
  add_data_arguments(*command, s->fit.data, kDataHelp)->required();
  command->add_option("--out", s->fit.out,
                      "File for the trained model (.keras or .h5); default: the name of the data "
                      "with .keras, in this folder");
  add_network_options(*command, s->network);
  command
      ->add_option("--epochs", s->epochs,
                   "Largest number of passes over the data; default: enough for 30,000 steps, from "
                   "10 to 200")
      ->check(positive_integer());
  command
      ->add_option("--patience", s->patience,
                   "Epochs without a better validation loss after which training stops, with the "
                   "best weights (default: 5, or 5% of the epochs); 0: never")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--validation-split", s->fit.validation_split,
                   "Fraction of the data to validate on: random samples, or the last windows")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  add_training_options(*command, s->fit);
  command->callback([&run, s, command] {
    s->fit.given = given_options(*command);
    run = [s] { return run_train(*s); };
  });
}

}  // namespace antler::cli
