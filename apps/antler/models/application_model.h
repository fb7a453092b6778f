#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/training/model.h"
#include "input/data_files.h"

namespace antler::cli {

/// The command line options for a model of keras.applications.
struct ApplicationSettings {
  std::string name;                  ///< empty if not given
  std::string weights = "imagenet";  ///< a file, "imagenet" or "none"
  std::vector<int64_t> input_shape;  ///< without data; empty: the default
  int64_t classes = 1000;            ///< without data
};

/// The application with its classifier.
Model whole_application(const ApplicationSettings& settings);

/// The features [batch, channels] of the frozen application without its classifier, for the images
/// of the data. Greyscale images become RGB. Images in [0, 1] are scaled to [0, 255] before the
/// application's preprocessing.
Tensor application_features(const ApplicationSettings& settings, const Tensor& inputs,
                            const LoadedData& data);

}  // namespace antler::cli
