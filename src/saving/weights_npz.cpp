#include "antler/saving/weights_npz.h"

#include <map>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/io/npy.h"

namespace antler::saving {

void save_weights_npz(const Layer& layer, const std::string& path) {
  std::vector<std::pair<std::string, Tensor>> entries;
  for (const Variable& v : layer.weights()) entries.emplace_back(v.path(), v.stored());
  io::save_npz(path, entries);
}

void load_weights_npz(const Layer& layer, const std::string& path) {
  std::map<std::string, Tensor> arrays;
  for (auto& [name, value] : io::load_npz(path)) arrays[name] = value;
  const Variables targets = layer.weights();
  Tensors values;
  for (const Variable& v : targets) {
    const auto it = arrays.find(v.path());
    if (it == arrays.end()) {
      throw ValueError("load_weights: '" + path + "' has no array named '" + v.path() +
                       "', a weight of `" + layer.name() + "`.");
    }
    if (!(it->second.shape() == v.shape()) || it->second.dtype() != v.dtype()) {
      throw ValueError("load_weights: weight '" + v.path() + "' expects shape " + v.shape().str() +
                       " and dtype " + dtype_name(v.dtype()) + ". Received from '" + path +
                       "': shape " + it->second.shape().str() + " and dtype " +
                       dtype_name(it->second.dtype()) + ".");
    }
    values.push_back(it->second);
  }
  if (arrays.size() != targets.size()) {
    throw ValueError("load_weights: '" + path + "' has " + std::to_string(arrays.size()) +
                     " arrays, `" + layer.name() + "` has " + std::to_string(targets.size()) +
                     " weights.");
  }
  for (size_t i = 0; i < targets.size(); ++i) targets[i].store(values[i]);
}

}  // namespace antler::saving
