#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "antler/training/model.h"
#include "input/data_files.h"
#include "models/application_model.h"

namespace antler::cli {

/// The command line options that choose a network for the data.
struct NetworkSettings {
  std::string kind = "auto";
  std::vector<int64_t> units;
  std::vector<int64_t> image_size;
  ApplicationSettings application;
};

/// Adds --kind, --units, --image-size, --application and --weights.
void add_network_options(CLI::App& command, NetworkSettings& settings);

/// Copies --image-size, if given, into the options of load_data().
void apply_to(DataOptions& options, const NetworkSettings& settings);

struct Network {
  Model model;
  std::string kind;     ///< "mlp", or the name of an application
  int64_t classes = 0;  ///< 0: a regression
};

/// An untrained, compiled model for the samples. Numbers are normalized by the mean and variance of
/// `data.samples`. Throws ValueError for a kind that does not fit, and for targets that are not
/// valid classes.
Network make_network(const NetworkSettings& settings, const LoadedData& data);

}  // namespace antler::cli
