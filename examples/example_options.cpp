#include "example_options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

int run_example(int argc, char** argv, ExampleOptions& options,
                const std::function<void()>& program) {
  CLI::App app(options.about);
  app.add_option("--epochs", options.epochs, "Passes over the training data")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Random seed")->capture_default_str();
  app.add_option("--threads", options.threads, "Number of CPU threads; 0: all");
  for (const ExampleOptions::Extra& extra : options.extras) {
    std::visit(
        [&](auto* value) { app.add_option(extra.name, *value, extra.help)->capture_default_str(); },
        extra.value);
  }
  CLI11_PARSE(app, argc, argv);
  try {
    antler::set_random_seed(options.seed);
    if (options.threads > 0) antler::config::set_threads(options.threads);
    program();
    return 0;
  } catch (const antler::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.class_name(), error.what());
    return 1;
  }
}
