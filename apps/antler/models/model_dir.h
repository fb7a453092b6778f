#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/shape.h"

/// The folders in which Estimators keep their state: checkpoints and event files.
namespace antler::cli {

/// Whether a path is a folder with a file `checkpoint`, or the prefix of a checkpoint of
/// TensorFlow.
bool is_model_dir(const std::string& path);

struct CheckpointVariable {
  std::string name;
  Shape shape;
  std::string dtype;
};

/// A checkpoint and what is in it.
struct CheckpointContents {
  std::string prefix;
  std::vector<CheckpointVariable> variables;  ///< sorted by name
  int64_t num_elements() const;
};

/// The newest checkpoint of the folder, or the one of the prefix. Throws ValueError if the folder
/// has none, IOError.
CheckpointContents read_contents(const std::string& path);
/// A table of the variables, a line each.
std::string variable_table(const CheckpointContents& contents);
/// Writes the numeric variables to a .safetensors or .npz file; strings are left out. Throws
/// ValueError for other names of the file.
void convert_variables(const std::string& path, const std::string& file);

}  // namespace antler::cli
