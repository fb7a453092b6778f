#include <memory>
#include <string>

#include "antler/training/saving.h"
#include "command.h"

namespace antler::cli {

void add_summary(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("summary", "Prints the layers of a model");
  const auto path = std::make_shared<std::string>();
  const auto options = std::make_shared<SummaryOptions>();
  command->add_option("model", *path, "A .keras file")->required();
  command->add_flag("--expand-nested", options->expand_nested, "Show models inside of models");
  command->add_flag("--show-trainable", options->show_trainable, "Show which layers train");
  command->add_option("--line-length", options->line_length)->capture_default_str();
  command->callback([&run, path, options] {
    run = [path, options] {
      load_model(*path).summary(*options);
      return 0;
    };
  });
}

}  // namespace antler::cli
