#include "models/model_dir.h"

#include <algorithm>
#include <filesystem>

#include "antler/base/error.h"
#include "antler/io/npy.h"
#include "antler/io/safetensors.h"
#include "antler/io/tensor_bundle.h"
#include "antler/saving/checkpoint.h"

namespace antler::cli {
namespace {

namespace fs = std::filesystem;

std::string prefix_of(const std::string& path) {
  if (fs::exists(path + ".index")) return path;
  const auto latest = latest_checkpoint(path);
  if (!latest) {
    throw ValueError("The folder '{}' has no checkpoint, or its newest one is not there.", path);
  }
  return *latest;
}

}  // namespace

bool is_model_dir(const std::string& path) {
  const fs::path folder = path;
  return (fs::is_directory(folder) && fs::exists(folder / "checkpoint")) ||
         fs::exists(path + ".index");
}

int64_t CheckpointContents::num_elements() const {
  int64_t sum = 0;
  for (const CheckpointVariable& variable : variables) sum += variable.shape.num_elements();
  return sum;
}

CheckpointContents read_contents(const std::string& path) {
  CheckpointContents contents{.prefix = prefix_of(path), .variables = {}};
  const io::TensorBundle bundle = io::TensorBundle::open(contents.prefix);
  for (const std::string& key : bundle.keys()) {
    const std::string dtype =
        bundle.is_string(key) ? "string" : std::string(dtype_name(bundle.dtype(key)));
    contents.variables.push_back({key, bundle.shape(key), dtype});
  }
  return contents;
}

std::string variable_table(const CheckpointContents& contents) {
  size_t name_width = 8;
  size_t shape_width = 5;
  for (const CheckpointVariable& variable : contents.variables) {
    name_width = std::max(name_width, variable.name.size());
    shape_width = std::max(shape_width, variable.shape.str().size());
  }
  const auto padded = [](std::string text, size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
  };
  std::string text = padded("Variable", name_width) + "  " + padded("Shape", shape_width) + "  " +
                     padded("Dtype", 8) + "  Elements\n";
  for (const CheckpointVariable& variable : contents.variables) {
    text += padded(variable.name, name_width) + "  " + padded(variable.shape.str(), shape_width) +
            "  " + padded(variable.dtype, 8) + "  " +
            std::to_string(variable.shape.num_elements()) + "\n";
  }
  return text + format("Total: {} variables, {} elements\n", contents.variables.size(),
                       contents.num_elements());
}

void convert_variables(const std::string& path, const std::string& file) {
  const io::TensorBundle bundle = io::TensorBundle::open(prefix_of(path));
  io::NamedTensors arrays;
  for (const std::string& key : bundle.keys()) {
    if (!bundle.is_string(key)) arrays.emplace_back(key, bundle.read(key));
  }
  if (file.ends_with(".safetensors")) {
    io::save_safetensors(file, arrays);
  } else if (file.ends_with(".npz")) {
    io::save_npz(file, arrays);
  } else {
    throw ValueError(
        "Cannot write '{}': the variables of a checkpoint without a model can be written to a "
        ".safetensors or .npz file.",
        file);
  }
}

}  // namespace antler::cli
