#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/nn/random_seed.h"
#include "antler/runtime/config.h"
#include "antler/training/callbacks.h"
#include "antler/training/model.h"
#include "antler/training/saving.h"
#include "command.h"
#include "data_files.h"
#include "interrupt.h"
#include "object_spec.h"

namespace antler::cli {
namespace {

struct Settings {
  std::string model;
  std::string data;
  std::string target;
  std::string loss;
  std::string optimizer;
  std::vector<std::string> metrics;
  int64_t epochs = 1;
  int64_t initial_epoch = 0;
  int64_t batch_size = 32;
  double validation_split = 0;
  std::string validation_data;
  std::string steps_per_execution;
  std::vector<std::string> callbacks;
  std::vector<std::string> class_weight;
  std::optional<int64_t> seed;
  int threads = 0;
  bool no_shuffle = false;
  std::string log_dir;
  std::string checkpoint_dir;
  std::string out;
  std::string history;
  bool json = false;
  int verbose = 1;
};

/// What the user said about loss, optimizer and metrics, over what the file has.
void compile(Model& model, const Settings& s, const LoadedData& data) {
  const bool says_nothing = s.loss.empty() && s.optimizer.empty() && s.metrics.empty();
  if (model.compiled() && says_nothing) {
    if (!s.steps_per_execution.empty()) {
      if (s.steps_per_execution == "auto") {
        model.set_autotune_steps_per_execution(true);
      } else {
        model.set_steps_per_execution(std::stoll(s.steps_per_execution));
      }
    }
    return;
  }
  if (s.loss.empty()) {
    const bool classes = data.y.dtype() != DType::float32;
    throw ValueError(std::string("The model is not compiled: name a loss, for example --loss ") +
                     (classes ? "sparse_categorical_crossentropy" : "mse") + ".");
  }
  CompileArguments arguments;
  arguments.optimizer = make_optimizer(s.optimizer.empty() ? "adam" : s.optimizer);
  arguments.loss = make_loss(s.loss);
  std::vector<MetricSpec> metrics;
  for (const std::string& metric : s.metrics) metrics.emplace_back(metric);
  if (!metrics.empty()) arguments.metrics = metrics;
  if (s.steps_per_execution == "auto") {
    arguments.steps_per_execution = "auto";
  } else if (!s.steps_per_execution.empty()) {
    arguments.steps_per_execution = std::stoll(s.steps_per_execution);
  }
  model.compile(arguments);
}

std::map<int64_t, double> class_weights(const std::vector<std::string>& entries) {
  std::map<int64_t, double> weights;
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      throw ValueError("--class-weight takes entries like 0=1.5. Received: " + entry + ".");
    }
    weights[std::stoll(entry.substr(0, equals))] = std::stod(entry.substr(equals + 1));
  }
  return weights;
}

void write_history(const History& history, const std::string& path) {
  Json json = {{"epoch", history.epoch}, {"history", Json::object()}};
  for (const auto& [name, values] : history.history) json["history"][name] = values;
  write_file_atomically(path, json.dump(1) + "\n");
}

int run_fit(const Settings& s) {
  if (s.threads > 0) config::set_threads(s.threads);
  if (s.seed) set_random_seed(static_cast<uint64_t>(*s.seed));
  Model model = load_model(s.model);
  const LoadedData data = load_data(s.data, {.target = s.target, .plan = plan_beside(s.model)});
  if (!s.json) std::printf("%s\n%s", s.data.c_str(), data.found.c_str());
  compile(model, s, data);

  FitOptions options;
  options.batch_size = s.batch_size;
  options.epochs = s.epochs;
  options.initial_epoch = s.initial_epoch;
  options.verbose = s.json ? 0 : s.verbose;
  options.shuffle = !s.no_shuffle;
  options.validation_split = s.validation_split;
  options.class_weight = class_weights(s.class_weight);
  if (!s.validation_data.empty()) {
    const LoadedData held_out =
        load_data(s.validation_data, {.target = s.target, .plan = data.plan});
    options.validation_data = {fit_input(model, held_out.x), held_out.y};
  } else if (s.validation_split == 0 && data.test_x.defined() && data.test_y.defined()) {
    options.validation_data = {fit_input(model, data.test_x), data.test_y};
  }
  const auto interrupt = std::make_shared<InterruptCallback>();
  options.callbacks.push_back(interrupt);
  for (const std::string& text : s.callbacks) options.callbacks.push_back(make_callback(text));
  if (!s.log_dir.empty()) options.callbacks.push_back(callbacks::TensorBoard(s.log_dir));
  if (!s.checkpoint_dir.empty()) {
    std::filesystem::create_directories(s.checkpoint_dir);
    options.callbacks.push_back(callbacks::ModelCheckpoint(s.checkpoint_dir + "/last.keras"));
  }

  const History history = model.fit(fit_input(model, data.x), data.y, options);
  model.save(s.out);
  if (data.plan) {
    write_file_atomically(TablePlan::path_beside(s.out), data.plan->to_json().dump(1) + "\n");
  }
  if (!s.history.empty()) write_history(history, s.history);
  if (s.json) {
    Json result = {{"out", s.out}, {"epochs", history.epoch.size()}, {"logs", Json::object()}};
    for (const auto& [name, values] : history.history) {
      if (!values.empty()) result["logs"][name] = values.back();
    }
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::printf("saved: %s\n", s.out.c_str());
  }
  if (!InterruptCallback::interrupted()) return 0;
  const int64_t done = history.epoch.empty() ? s.initial_epoch : history.epoch.back() + 1;
  std::fprintf(stderr,
               "Stopped by Ctrl-C in epoch %lld. To go on: antler fit %s %s --initial-epoch %lld "
               "--epochs %lld --out %s\n",
               static_cast<long long>(done), s.out.c_str(), s.data.c_str(),
               static_cast<long long>(done), static_cast<long long>(s.epochs), s.out.c_str());
  return 130;
}

}  // namespace

void add_fit(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("fit", "Trains a model on data and saves it");
  const auto s = std::make_shared<Settings>();
  command->add_option("model", s->model, "A .keras file")->required();
  command
      ->add_option("data", s->data,
                   "An .npz, a pair x.npy,y.npy, a .csv, or a folder with MNIST's IDX files")
      ->required();
  command->add_option("--out", s->out, "Where the trained model goes (.keras)")->required();
  command->add_option("--target", s->target, "Column of a .csv to predict; default: the last");
  command->add_option("--loss", s->loss, "For example mse, sparse_categorical_crossentropy");
  command->add_option("--optimizer", s->optimizer, "For example adam:learning_rate=1e-3");
  command->add_option("--metrics", s->metrics, "For example accuracy")->delimiter(',');
  command->add_option("--epochs", s->epochs)->capture_default_str();
  command->add_option("--initial-epoch", s->initial_epoch, "Where an earlier run stopped");
  command->add_option("--batch-size", s->batch_size)->capture_default_str();
  command->add_option("--validation-split", s->validation_split, "Part of the data, from its end");
  command->add_option("--validation-data", s->validation_data, "DATA to validate on");
  command->add_option("--steps-per-execution", s->steps_per_execution, "A number, or auto")
      ->check([](const std::string& text) {
        const bool number =
            !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return text == "auto" || number ? std::string()
                                        : "a number or auto is expected, not " + text;
      });
  command->add_option("--callback", s->callbacks,
                      "For example early_stopping:patience=3; may be given several times");
  command->add_option("--class-weight", s->class_weight, "For example 0=1,1=2.5")->delimiter(',');
  command->add_option("--seed", s->seed);
  command->add_option("--threads", s->threads, "CPU threads; default: all");
  command->add_flag("--no-shuffle", s->no_shuffle, "Keep the order of the data");
  command->add_option("--log-dir", s->log_dir, "Writes event files for TensorBoard");
  command->add_option("--checkpoint-dir", s->checkpoint_dir, "Saves last.keras after each epoch");
  command->add_option("--history", s->history, "Writes the history as JSON");
  command->add_option("--verbose", s->verbose, "0 silent, 1 bar, 2 a line per epoch")
      ->capture_default_str();
  command->add_flag("--json", s->json, "One JSON line as the only output");
  command->callback([&run, s] { run = [s] { return run_fit(*s); }; });
}

}  // namespace antler::cli
