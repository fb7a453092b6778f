#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include <antler/antler.h>

/// Command line options shared by the examples.
struct ExampleOptions {
  std::string data = {};
  int64_t epochs = 1;
  uint64_t seed = 1;
  int threads = 0;
};

inline void add_run_options(CLI::App& app, ExampleOptions& options) {
  app.add_option("--epochs", options.epochs, "Passes over the training data")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Random seed")->capture_default_str();
  app.add_option("--threads", options.threads, "Number of CPU threads; 0: all");
}

inline void apply(const ExampleOptions& options) {
  antler::set_random_seed(options.seed);
  if (options.threads > 0) antler::config::set_threads(options.threads);
}

/// Runs `program` and turns an Antler error into a message and exit code 1.
template <class Program>
int run_example(Program program) {
  try {
    program();
    return 0;
  } catch (const antler::Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.class_name(), error.what());
    return 1;
  }
}
