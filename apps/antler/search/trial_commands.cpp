#include "search/trial_commands.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/optimizer.h"
#include "base/did_you_mean.h"
#include "command_line/command_options.h"
#include "models/object_spec.h"

namespace antler::cli {
namespace {

constexpr std::string_view kOptimizerPrefix = "optimizer.";
constexpr const char* kLayers = "layers";
constexpr const char* kTarget = "target";

/// Options that are saved in a model. A trial that continues a model must not pass them again, or
/// its optimizer would start anew.
constexpr std::array<std::string_view, 7> kSavedOptions = {
    "loss", "optimizer", "learning_rate", "metrics", "freeze", "unfreeze", "mixed_precision"};

bool is_saved(const std::string& name) {
  return std::find(kSavedOptions.begin(), kSavedOptions.end(), name) != kSavedOptions.end();
}

CLI::Option* find_among(const std::vector<CLI::Option*>& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const CLI::Option* option) {
    return setting_name(*option) == name;
  });
  return found == options.end() ? nullptr : *found;
}

std::string option_of(const std::string& name, const Json& value) {
  std::string option = name;
  std::replace(option.begin(), option.end(), '_', '-');
  return "--" + option + "=" + argument_of(value);
}

bool has_option(const std::string& optimizer, const std::string& option) {
  return optimizers::serialize(*make_optimizer(optimizer))["config"].contains(option);
}

/// The path of this program.
std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

void append(std::vector<std::string>& command, const CLI::Option& option) {
  for (std::string& argument : passed_on(option)) command.push_back(std::move(argument));
}

}  // namespace

TrialCommands::TrialCommands(TrialSetup setup) : setup_(std::move(setup)) {
  if (setup_.model != kNewModel) setup_.new_options.clear();
  std::set<std::string> names;
  for (const Hyperparameter& h : setup_.space) {
    if (!names.insert(h.name).second) throw ValueError("--space has {} twice.", h.name);
    check(h);
  }
}

CLI::Option* TrialCommands::find_option(const std::string& name) const {
  CLI::Option* option = find_among(setup_.new_options, name);
  return option != nullptr ? option : find_among(setup_.fit_options, name);
}

void TrialCommands::check(const Hyperparameter& h) const {
  if (h.name == kLayers && setup_.model == kNewModel) {
    for (const Json& value : h.examples()) {
      if (!value.is_number_integer() || value.get<int64_t>() < 1) {
        throw ValueError("--space layers: expected a positive integer, not {}.",
                         argument_of(value));
      }
    }
    return;
  }
  if (h.name.starts_with(kOptimizerPrefix)) {
    const std::string option = h.name.substr(kOptimizerPrefix.size());
    const auto optimizer =
        std::find_if(setup_.space.begin(), setup_.space.end(),
                     [](const auto& other) { return other.name == "optimizer"; });
    std::vector<Json> choices;
    if (optimizer != setup_.space.end()) choices = optimizer->choices;
    if (choices.empty()) choices.push_back(optimizer_of({}));
    if (argument_of(choices[0]).empty()) {
      throw ValueError("--space {}: give the optimizer too, with --optimizer or --space optimizer.",
                       h.name);
    }
    const bool known = std::any_of(choices.begin(), choices.end(), [&](const Json& choice) {
      return has_option(argument_of(choice), option);
    });
    if (!known) {
      throw ValueError("--space {}: no optimizer of the search has the option '{}'.", h.name,
                       option);
    }
    return;
  }
  CLI::Option* option = find_option(h.name);
  if (option == nullptr) {
    std::vector<std::string> known = {"optimizer.OPTION"};
    for (const CLI::Option* one : setup_.fit_options) known.push_back(setting_name(*one));
    for (const CLI::Option* one : setup_.new_options) known.push_back(setting_name(*one));
    if (setup_.model == kNewModel) {
      known.emplace_back(kLayers);
    } else if (h.name == "kind" || h.name == "units" || h.name == kLayers) {
      throw ValueError(
          "--space {}: a model in a file has its architecture. Give the word {} in place of the "
          "file, and each trial creates its own.",
          h.name, kNewModel);
    }
    throw ValueError("--space: '{}' cannot vary.{}", h.name,
                     suggest_names(h.name, "hyperparameters", known));
  }
  if (option->count() > 0) {
    throw ValueError("{} is in --space, and fixed by {}.", h.name, option->get_name());
  }
  for (const Json& value : h.examples()) {
    const std::string text = argument_of(value);
    if (h.name == "optimizer") make_optimizer(text);
    if (h.name == "loss") make_loss(text);
    const std::string wrong = takes_value(*option) || value.is_boolean()
                                  ? check_value(*option, text)
                                  : "expected true or false, not " + text;
    if (!wrong.empty()) throw ValueError("--space {}: {}.", h.name, wrong);
  }
}

std::string TrialCommands::optimizer_of(const Json& values) const {
  if (values.contains("optimizer")) return argument_of(values["optimizer"]);
  const CLI::Option* option = find_among(setup_.fit_options, "optimizer");
  return option == nullptr || option->count() == 0 ? "" : option->results().front();
}

void TrialCommands::remove_unused(Json& values) const {
  const std::string optimizer = optimizer_of(values);
  for (const Hyperparameter& h : setup_.space) {
    if (h.name.starts_with(kOptimizerPrefix) &&
        !has_option(optimizer, h.name.substr(kOptimizerPrefix.size()))) {
      values.erase(h.name);
    }
  }
}

std::vector<std::string> TrialCommands::new_command(const Trial& trial,
                                                    const std::string& out) const {
  std::vector<std::string> command = {this_program(), "new", out, setup_.data, "--json"};
  command.push_back(format("--seed={}", setup_.seed));
  if (const CLI::Option* target = find_among(setup_.fit_options, kTarget)) append(command, *target);
  const Json& values = trial.hyperparameters;
  for (const auto& [name, value] : values.items()) {
    if (find_among(setup_.new_options, name) == nullptr) continue;
    if (name == "units" && values.contains(kLayers)) continue;
    command.push_back(option_of(name, value));
  }
  if (values.contains(kLayers)) {
    const std::string units = values.contains("units") ? argument_of(values["units"]) : "64";
    std::string sizes = units;
    for (int64_t i = 1; i < values[kLayers].get<int64_t>(); ++i) sizes += "," + units;
    command.push_back("--units=" + sizes);
  }
  return command;
}

std::vector<std::string> TrialCommands::fit_command(const Trial& trial, const SearchFolder& folder,
                                                    const std::string& model) const {
  std::vector<std::string> command = {this_program(), "fit", model, setup_.data, "--verbose=2"};
  const bool continues = trial.from.has_value();
  const Json& values = trial.hyperparameters;
  std::string optimizer = optimizer_of(values);
  for (const CLI::Option* option : setup_.fit_options) {
    const std::string name = setting_name(*option);
    if (name != "optimizer" && !(continues && is_saved(name))) append(command, *option);
  }
  for (const auto& [name, value] : values.items()) {
    if (name.starts_with(kOptimizerPrefix)) {
      optimizer += (optimizer.find(':') == std::string::npos ? ":" : ",") +
                   name.substr(kOptimizerPrefix.size()) + "=" + argument_of(value);
    } else if (name != "optimizer" && name != kLayers && !(continues && is_saved(name)) &&
               find_among(setup_.new_options, name) == nullptr) {
      command.push_back(option_of(name, value));
    }
  }
  if (!optimizer.empty() && !continues) command.push_back("--optimizer=" + optimizer);
  command.push_back(format("--seed={}", setup_.seed));
  command.push_back(format("--initial-epoch={}", trial.initial_epoch));
  command.push_back(format("--epochs={}", trial.epochs));
  command.push_back("--out=" + folder.file(trial.id, setup_.ending));
  command.push_back("--history=" + folder.file(trial.id, ".history.json"));
  command.emplace_back("--callback=terminate_on_nan");
  // Its patience never runs out; it only restores the weights of the best epoch.
  command.push_back(
      format("--callback=early_stopping:monitor={},mode={},patience={},restore_best_weights=true",
             setup_.objective.name, setup_.objective.mode(), trial.epochs + 1));
  return command;
}

PoolJob TrialCommands::job(const Trial& trial, const SearchFolder& folder) const {
  PoolJob job;
  job.id = trial.id;
  job.log = folder.file(trial.id, ".log");
  std::string model = setup_.model;
  if (trial.from) {
    model = folder.file(*trial.from, setup_.ending);
  } else if (setup_.model == kNewModel) {
    model = folder.file(trial.id, ".new.keras");
    job.commands.push_back(new_command(trial, model));
  }
  job.commands.push_back(fit_command(trial, folder, model));
  return job;
}

Json TrialCommands::fixed() const {
  Json fixed = Json::object();
  for (const CLI::Option* option : setup_.fit_options) {
    // The device and the number of threads do not change a trial.
    const std::string name = setting_name(*option);
    if (option->count() > 0 && name != "threads" && name != "device") {
      fixed[name] = option->results();
    }
  }
  return fixed;
}

std::vector<std::string> default_space(const std::vector<CLI::Option*>& fit_options) {
  std::vector<std::string> space;
  for (const char* item : {"learning_rate=log:1e-4:1e-1", "optimizer=choice:adam,rmsprop,sgd",
                           "batch_size=choice:16,32,64,128"}) {
    const std::string name(item, std::string_view(item).find('='));
    const CLI::Option* option = find_among(fit_options, name);
    if (option != nullptr && option->count() == 0) space.emplace_back(item);
  }
  if (space.empty()) {
    throw ValueError(
        "The learning rate, the optimizer and the batch size are fixed: use --space to choose what "
        "to vary.");
  }
  return space;
}

}  // namespace antler::cli
