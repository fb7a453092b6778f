#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/training/model.h"
#include "data_files.h"

namespace antler::cli {

/// A model of keras.applications, as the user named it.
struct ApplicationSettings {
  std::string name;                  ///< empty: none
  std::string weights = "imagenet";  ///< a file, "imagenet" or "none"
  std::vector<int64_t> input_shape;  ///< of the whole model; empty: its default
  int64_t classes = 1000;            ///< likewise
};

/// The application with its top.
Model whole_application(const ApplicationSettings& settings);

/// The features [batch, channels] that the application gives without its top, frozen, for images
/// [height, width, channels] of the data; grey ones become RGB. Numbers that end at 1 are stretched
/// to 255, which its preprocessing begins with. `augment`: mirrored at random while training.
Tensor application_features(const ApplicationSettings& settings, const Tensor& inputs,
                            const LoadedData& data, bool augment);

}  // namespace antler::cli
