#include <memory>

#include "command_line/command.h"
#include "command_line/command_options.h"
#include "models/model_file.h"
#include "training_run/run_training.h"

namespace antler::cli {
namespace {

TrainingStart open_and_load(const FitSettings& s) {
  Model model = open_model(s.model);
  LoadedData data = load_data(s.data.path, data_options(model, s));
  return {model, std::move(data)};
}

}  // namespace

void add_fit(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("fit", "Trains a model on data and saves it");
  const auto s = std::make_shared<FitSettings>();
  command->add_option("model", s->model, kModelHelp)->required();
  add_data_arguments(*command, s->data, kDataHelp)->required();
  command->add_option("--out", s->out, "File for the trained model (.keras or .h5)")
      ->capture_default_str();
  command
      ->add_option("--epochs", s->epochs, "Number of passes over the data, counted from the first")
      ->capture_default_str()
      ->check(positive_integer());
  command->add_option("--initial-epoch", s->initial_epoch, "Where an earlier run stopped")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--validation-split", s->validation_split, "Fraction of the data, from its end")
      ->check(CLI::Range(0.0, 1.0));
  add_training_options(*command, *s);
  command->callback([&run, s, command] {
    s->given = given_options(*command);
    run = [s] { return run_training(*s, open_and_load); };
  });
}

}  // namespace antler::cli
