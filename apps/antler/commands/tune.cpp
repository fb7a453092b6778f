#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/runtime/config.h"
#include "command_line/command.h"
#include "command_line/command_line.h"
#include "command_line/command_options.h"
#include "common/text_table.h"
#include "input/data_plan.h"
#include "models/outputs.h"
#include "search/search.h"

namespace antler::cli {
namespace {

namespace fs = std::filesystem;

struct TuneSettings {
  std::string model;
  std::string data;
  std::string out = "best.keras";
  std::string dir;
  std::vector<std::string> space;
  std::string objective = "val_loss";
  std::string search = "random";
  std::optional<int64_t> trials;
  int64_t epochs = 10;
  int64_t factor = 3;
  int64_t iterations = 1;
  std::optional<int64_t> seed;
  int64_t workers = 1;
  bool resume = false;
  bool json = false;
  std::vector<CLI::Option*> fit_options;
  std::vector<CLI::Option*> new_options;

  bool hyperband() const { return search == "hyperband"; }
};

constexpr int64_t kDefaultTrials = 10;

/// Options of `fit` that the search sets itself or that make sense only for a single run.
const std::vector<std::string>& own_options_of_fit() {
  static const std::vector<std::string> kNames = {
      "--out",     "--history",       "--plot",    "--log-dir",   "--checkpoint-dir",
      "--verbose", "--initial-epoch", "--dry-run", "--dashboard", "--dashboard-port",
      "--help"};
  return kNames;
}

/// The settings that must not change when a search is resumed.
Json search_settings(const TuneSettings& s, const TrialCommands& commands) {
  Json settings = {{"model", s.model},         {"data", s.data},     {"space", s.space},
                   {"objective", s.objective}, {"search", s.search}, {"epochs", s.epochs}};
  if (s.hyperband()) {
    settings["factor"] = s.factor;
    settings["iterations"] = s.iterations;
  }
  settings["fit"] = commands.fixed();
  settings["seed"] = *s.seed;
  return settings;
}

/// The settings of the search in the folder.
Json read_search(const SearchFolder& folder) {
  Json settings = Json::parse(read_file(folder.settings_file()), nullptr, false);
  if (!settings.is_object() || !settings.contains("seed") ||
      !settings["seed"].is_number_integer()) {
    throw ValueError("'{}' does not describe a search of `antler tune`.", folder.settings_file());
  }
  return settings;
}

/// Throws ValueError if a search would be resumed with different settings.
void check_same(const Json& before, const Json& now, const SearchFolder& folder) {
  for (const auto& [name, value] : now.items()) {
    const Json earlier = before.value(name, Json());
    if (earlier != value) {
      throw ValueError(
          "The search in '{}' has different settings: {} was {}, not {}. --resume needs the same "
          "command; only --trials, --workers and --out may change.",
          folder.path(), name, earlier.dump(), value.dump());
    }
  }
}

/// Creates the folder of the search, or checks that the search in it can be resumed.
void open_folder(const TuneSettings& s, const TrialCommands& commands, const SearchFolder& folder) {
  const Json settings = search_settings(s, commands);
  if (folder.exists()) {
    if (!s.resume) {
      throw ValueError(
          "'{}' has an earlier search: continue with --resume, or remove that folder to start "
          "over.",
          folder.path());
    }
    return check_same(read_search(folder), settings, folder);
  }
  if (s.resume && !s.json) std::printf("nothing to resume in '%s'\n", folder.path().c_str());
  std::error_code error;
  fs::create_directories(folder.path(), error);
  if (error) throw IOError("Cannot create the folder '{}': {}.", folder.path(), error.message());
  write_file_atomically(folder.settings_file(), settings.dump(1) + "\n");
}

SearchPlan plan_of(const TuneSettings& s, const TrialCommands& commands,
                   const std::vector<Hyperparameter>& space, const Objective& objective) {
  const auto samples_of = [&](int64_t count) {
    return different_samples(space, static_cast<uint64_t>(*s.seed), count,
                             [&](Json& values) { commands.remove_unused(values); });
  };
  if (!s.hyperband()) {
    return SearchPlan::random(samples_of(s.trials.value_or(kDefaultTrials)), s.epochs);
  }
  const int64_t count = SearchPlan::hyperband_samples(s.epochs, s.factor, s.iterations);
  return SearchPlan::hyperband(samples_of(count), s.epochs, s.factor, s.iterations, objective);
}

/// Divides the cores among the trials that run at the same time.
std::vector<std::pair<std::string, std::string>> environment_for(const TuneSettings& s) {
  if (s.workers == 1 || std::getenv("OMP_NUM_THREADS") != nullptr) return {};
  const int64_t threads = std::max<int64_t>(config::threads() / s.workers, 1);
  return {{"OMP_NUM_THREADS", format("{}", threads)}};
}

std::string trial_table(const Search& search, const Objective& objective,
                        const std::vector<Hyperparameter>& space) {
  std::vector<std::vector<std::string>> rows = {
      {"trial", objective.name, "epoch", "of", "seconds"}};
  for (const Hyperparameter& h : space) rows[0].push_back(h.name);
  for (const EndedTrial* trial : search.ranking()) {
    const bool diverged = trial->status == EndedTrial::Status::diverged;
    std::vector<std::string> row = {format("{}", trial->id),
                                    trial->completed() ? format("{:.5g}", trial->score)
                                    : diverged         ? "diverged"
                                                       : "failed",
                                    trial->completed() ? format("{}", trial->best_epoch) : "-",
                                    format("{}", trial->epochs), format("{:.1f}", trial->seconds)};
    for (const Hyperparameter& h : space) {
      const Json& values = trial->hyperparameters;
      row.push_back(values.contains(h.name) ? argument_of(values[h.name]) : "-");
    }
    rows.push_back(std::move(row));
  }
  return text_table(rows);
}

/// Copies the best model, with its data plan, to --out. Returns the path; empty if there is none.
std::string save_best(const Search& search, const TuneSettings& s) {
  const EndedTrial* best = search.best();
  if (best == nullptr) return "";
  const std::string model = search.model_of(*best);
  return write_or_keep(s.out, {s.dir}, [&](const std::string& path) {
    AtomicFile target(path);
    std::error_code error;
    fs::copy_file(model, target.temporary_path(), error);
    if (error) throw IOError("Cannot copy '{}' to '{}': {}.", model, path, error.message());
    target.commit();
    DataPlan::load_beside(model).save_beside(path);
  });
}

void report_search(const TuneSettings& s, const Search& search, const Objective& objective,
                   const std::vector<Hyperparameter>& space, const std::string& out,
                   bool interrupted) {
  if (s.json) {
    Json result = {{"out", out.empty() ? Json() : Json(out)},
                   {"dir", s.dir},
                   {"objective", objective.name},
                   {"mode", objective.mode()},
                   {"seed", *s.seed}};
    result["best"] = search.best() == nullptr ? Json() : search.best()->to_json();
    result["trials"] = Json::array();
    for (const EndedTrial* trial : search.ranking()) result["trials"].push_back(trial->to_json());
    if (interrupted) result["resume"] = resume_command();
    std::printf("%s\n", result.dump().c_str());
  } else {
    if (!search.ended().empty()) {
      std::printf("\n%s", trial_table(search, objective, space).c_str());
    }
    if (!out.empty()) {
      std::printf("\nsaved: %s, the model of trial %lld after its epoch %lld\n", out.c_str(),
                  static_cast<long long>(search.best()->id),
                  static_cast<long long>(search.best()->best_epoch));
    }
  }
  std::fflush(stdout);
  if (interrupted) {
    std::fprintf(stderr, "Stopped after %zu trials. To continue:\n  %s\n", search.ended().size(),
                 resume_command().c_str());
  }
}

/// Explains on stderr why a search ended early or has no result.
void explain_failure(const Search& search, const TuneSettings& s, int code) {
  if (code == 1) {
    std::fprintf(stderr,
                 "antler: three trials in a row failed with the same error, so the search has "
                 "ended:\n  %s\nTheir output is in %s.\n",
                 search.repeated_error().c_str(), s.dir.c_str());
  } else if (search.best() == nullptr && !search.ended().empty()) {
    std::fprintf(stderr, "antler: no trial has a result. The last one: %s\n",
                 search.ended().rbegin()->second.error.c_str());
  }
}

/// Whether the objective needs validation data, but the user gave neither data nor a split for it.
bool needs_split(const TuneSettings& s, const Objective& objective) {
  const auto given = [&](const char* name) {
    return std::any_of(s.fit_options.begin(), s.fit_options.end(), [&](const CLI::Option* option) {
      return setting_name(*option) == name && option->count() > 0;
    });
  };
  return objective.name.starts_with("val_") && !given("validation_data") &&
         !given("validation_split");
}

int run_tune(TuneSettings s) {
  check_output(s.out, {".keras", ".h5", ".hdf5"});
  if (s.dir.empty()) s.dir = s.out + ".tune";
  if (s.hyperband() && s.trials) {
    throw ValueError(
        "--trials is for --search random. Hyperband runs as many trials as --epochs, --factor and "
        "--iterations need.");
  }
  const Objective objective = parse_objective(s.objective);
  if (needs_split(s, objective)) {
    for (CLI::Option* option : s.fit_options) {
      if (setting_name(*option) == "validation_split") option->add_result("0.2");
    }
  }
  if (s.space.empty()) s.space = default_space(s.fit_options);
  std::vector<Hyperparameter> space;
  for (const std::string& item : s.space) space.push_back(parse_hyperparameter(item));
  const SearchFolder folder(s.dir);
  if (!s.seed) {
    const bool resumes = s.resume && folder.exists();
    s.seed = resumes ? read_search(folder)["seed"].get<int64_t>() : std::random_device()();
  }
  const std::string ending = fs::path(s.out).extension().string();
  const TrialCommands commands({.model = s.model,
                                .data = s.data,
                                .ending = ending,
                                .objective = objective,
                                .seed = static_cast<uint64_t>(*s.seed),
                                .space = space,
                                .fit_options = s.fit_options,
                                .new_options = s.new_options});
  open_folder(s, commands, folder);
  Search search(plan_of(s, commands, space, objective), commands, objective, folder, ending,
                !s.json);
  search.resume();
  if (!s.json) {
    std::printf("%lld trials of up to %lld epochs, seed %lld; their files are in %s\n",
                static_cast<long long>(search.plan().size()), static_cast<long long>(s.epochs),
                static_cast<long long>(*s.seed), s.dir.c_str());
    if (!search.ended().empty()) {
      std::printf("%zu of them have ended before\n", search.ended().size());
    }
    std::fflush(stdout);
  }
  const int code = search.run(s.workers, environment_for(s));
  const bool interrupted = code > 1;
  const std::string out = save_best(search, s);
  report_search(s, search, objective, space, out, interrupted);
  if (interrupted) return code;
  explain_failure(search, s, code);
  return code != 0 || out != s.out ? 1 : 0;
}

std::vector<CLI::Option*> options_of_new(CLI::App& app) {
  std::vector<CLI::Option*> options;
  for (CLI::Option* option : app.get_subcommand("new")->get_options()) {
    static const std::vector<std::string> kExcluded = {"help", "target", "seed", "json"};
    if (option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (std::find(kExcluded.begin(), kExcluded.end(), name) == kExcluded.end()) {
      options.push_back(option);
    }
  }
  return options;
}

}  // namespace

void add_tune(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "tune", "Searches for good hyperparameters: trains a model many times and saves the best");
  const auto s = std::make_shared<TuneSettings>();
  command
      ->add_option("model", s->model,
                   "A .keras or .h5 file, or the word new: each trial creates its model as `antler "
                   "new` does")
      ->required();
  command->add_option("data", s->data, "As for fit")->required();
  command->add_option("--out", s->out, "File for the best model (.keras or .h5)")
      ->capture_default_str();
  command->add_option(
      "--dir", s->dir,
      "Folder of the search: a line of JSON per trial in trials.jsonl, histories and "
      "logs; default: OUT.tune");
  command
      ->add_option("--space", s->space,
                   "What varies; can be repeated. For example learning_rate=log:1e-4:1e-1, "
                   "batch_size=choice:16,32, optimizer=choice:sgd,adam, "
                   "optimizer.weight_decay=log:1e-5:1e-2, units=int:16:128:16; default: learning "
                   "rate, optimizer and batch size")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--objective", s->objective,
          "The value to optimize, for example val_accuracy. Values other than losses and metrics "
          "need a direction: NAME:min or NAME:max. With val_ and no validation data, "
          "--validation-split is 0.2")
      ->capture_default_str();
  command
      ->add_option("--search", s->search,
                   "random, or hyperband: many trials of few epochs; the best continue")
      ->check(CLI::IsMember({"random", "hyperband"}))
      ->capture_default_str();
  command
      ->add_option("--trials", s->trials,
                   format("Number of random trials (default: {})", kDefaultTrials))
      ->check(positive_integer());
  command->add_option("--epochs", s->epochs, "Epochs of a trial; with hyperband: at most")
      ->capture_default_str()
      ->check(positive_integer());
  command
      ->add_option("--factor", s->factor,
                   "Hyperband: 1 of this many trials continues, with this many times the epochs")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000));
  command
      ->add_option("--iterations", s->iterations, "Hyperband: how many times it runs all brackets")
      ->capture_default_str()
      ->check(positive_integer());
  command
      ->add_option("--seed", s->seed, "Seed of the choice of hyperparameters and of all training")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--workers", s->workers,
                   "Number of trials at the same time; they share the cores")
      ->capture_default_str()
      ->check(positive_integer());
  command->add_flag("--resume", s->resume, "Continue an interrupted search");
  command->add_flag("--json", s->json, "Print only one line of JSON");
  s->fit_options = copy_options(*command, *app.get_subcommand("fit"), own_options_of_fit());
  s->new_options = options_of_new(app);
  command->callback([&run, s] { run = [s] { return run_tune(*s); }; });
}

}  // namespace antler::cli
