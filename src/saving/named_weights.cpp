#include "antler/saving/named_weights.h"

#include <map>

#include "antler/base/error.h"
#include "antler/io/npy.h"
#include "antler/io/safetensors.h"

namespace antler::saving {

namespace {

bool is_safetensors(const std::string& path) { return path.ends_with(".safetensors"); }

}  // namespace

bool is_named_weights(const std::string& path) {
  return path.ends_with(".npz") || is_safetensors(path);
}

void save_named_weights(const Layer& layer, const std::string& path) {
  io::NamedTensors entries;
  for (const Variable& v : layer.weights()) entries.emplace_back(v.path(), v.stored());
  if (is_safetensors(path)) {
    io::save_safetensors(path, entries);
  } else {
    io::save_npz(path, entries);
  }
}

void load_named_weights(const Layer& layer, const std::string& path) {
  std::map<std::string, Tensor> arrays;
  for (auto& [name, value] :
       is_safetensors(path) ? io::load_safetensors(path) : io::load_npz(path)) {
    arrays[name] = value;
  }
  const Variables targets = layer.weights();
  Tensors values;
  for (const Variable& v : targets) {
    const auto it = arrays.find(v.path());
    if (it == arrays.end()) {
      throw ValueError("load_weights: '{}' has no array named '{}', a weight of `{}`.", path,
                       v.path(), layer.name());
    }
    if (!(it->second.shape() == v.shape()) || it->second.dtype() != v.dtype()) {
      throw ValueError(
          "load_weights: weight '{}' expects shape {} and dtype {}. Received from '{}': shape {} "
          "and dtype {}.",
          v.path(), v.shape(), dtype_name(v.dtype()), path, it->second.shape(),
          dtype_name(it->second.dtype()));
    }
    values.push_back(it->second);
  }
  if (arrays.size() != targets.size()) {
    throw ValueError("load_weights: '{}' has {} arrays, `{}` has {} weights.", path, arrays.size(),
                     layer.name(), targets.size());
  }
  for (size_t i = 0; i < targets.size(); ++i) targets[i].store(values[i]);
}

}  // namespace antler::saving
