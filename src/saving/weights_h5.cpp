#include "antler/saving/weights_h5.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/ir/tracer.h"
#include "nn/layer_state.h"
#include "saving/match.h"
#include "saving/object_tree.h"

namespace antler::saving {
namespace {

/// The layer's own weights in Keras's order.
Variables own_variables(const Layer& layer) {
  const LayerState& state = LayerInternals::state(layer);
  Variables own = state.trainable_weights;
  own.insert(own.end(), state.non_trainable_weights.begin(), state.non_trainable_weights.end());
  return own;
}

/// The arrays of a group `vars` ("0", "1", ...) in order.
VariableStore store_of(const WeightsFile& file, const std::string& vars) {
  VariableStore arrays;
  for (const std::string& name : file.children(vars)) {
    arrays.emplace_back(name, file.read(vars + "/" + name));
  }
  return arrays;
}

Changes present_values(const Variables& variables) {
  Changes values;
  for (const Variable& v : variables) values.emplace_back(v, v.stored());
  return values;
}

/// The state of a random number generator. Keras does not save these and ignores ours.
std::string seed_path(const std::string& layer, size_t index) {
  return join_path(
      layer, index == 0 ? "seed_generator/vars/0" : format("seed_generator_{}/vars/0", index));
}

class Reader {
 public:
  Reader(const WeightsFile& file, const LoadWeightsOptions& options)
      : file_(file), options_(options) {}

  void read(Layer& layer, const std::string& path) {
    if (!seen_.insert(&LayerInternals::state(layer)).second) return;
    const Changes before = present_values(own_variables(layer));
    try {
      layer.load_own_variables(store_of(file_, join_path(path, "vars")));
    } catch (const ValueError& error) {
      if (!options_.skip_mismatch) throw;
      store(before);
      logging::warning(format("load_weights: a layer keeps its weights. {}", error.what()));
    }
    read_seeds(layer, path);
    for (const TreeEntry& child : children_of(layer)) {
      read(*child.layer, found(join_path(path, child.path)));
    }
  }

 private:
  /// Restores the state of random number generators if the file has it.
  void read_seeds(const Layer& layer, const std::string& path) {
    const std::vector<SeedGenerator>& generators = LayerInternals::state(layer).seed_generators;
    for (size_t i = 0; i < generators.size(); ++i) {
      const std::string array = seed_path(path, i);
      if (!file_.contains(array)) continue;
      const std::string what = format("Layer '{}', its seed generator", layer.name());
      store(options_.skip_mismatch ? match_some(what, {generators[i].state()}, {file_.read(array)})
                                   : match(what, {generators[i].state()}, {file_.read(array)}));
    }
  }

  /// The path, or the one that older files use instead.
  std::string found(const std::string& path) const {
    if (file_.contains(path)) return path;
    const size_t slash = path.rfind('/');
    const size_t start = slash == std::string::npos ? 0 : slash + 1;
    std::string hidden = path;
    hidden.insert(start, "_");
    if (file_.contains(hidden)) return hidden;
    std::string early = path;
    if (const size_t at = early.rfind("layers/"); at != std::string::npos) {
      early.replace(at, 6, "_layer_checkpoint_dependencies");
      if (file_.contains(early)) return early;
    }
    return path;
  }

  const WeightsFile& file_;
  const LoadWeightsOptions& options_;
  std::unordered_set<const LayerState*> seen_;
};

void write(io::Hdf5Writer& file, const Layer& layer, const std::string& path,
           std::unordered_set<const LayerState*>& seen) {
  if (!seen.insert(&LayerInternals::state(layer)).second) return;
  const std::string vars = join_path(path, "vars");
  file.group(vars);
  file.string_attribute(vars, "name", layer.name());
  for (const auto& [key, value] : layer.save_own_variables()) file.write(vars + "/" + key, value);
  const std::vector<SeedGenerator>& generators = LayerInternals::state(layer).seed_generators;
  for (size_t i = 0; i < generators.size(); ++i) {
    file.write(seed_path(path, i), generators[i].state().stored());
  }
  for (const TreeEntry& child : children_of(layer)) {
    write(file, *child.layer, join_path(path, child.path), seen);
  }
}

}  // namespace

WeightsFile WeightsFile::open(const std::string& path) {
  if (!path.ends_with(".json")) return WeightsFile({io::Hdf5Reader::open(path)});
  const Json index = Json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    throw ValueError("'{}' is not an index of weights: it has no `weight_map`.", path);
  }
  std::set<std::string> names;
  for (const auto& [group, files] : index["weight_map"].items()) {
    for (const Json& name : files.is_array() ? files : Json::array({files})) {
      if (!name.is_string()) throw ValueError("'{}': `weight_map` must name files.", path);
      names.insert(name.get<std::string>());
    }
  }
  std::vector<io::Hdf5Reader> shards;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const std::string& name : names) {
    if (std::filesystem::path(name).filename() != name) {
      throw ValueError("'{}': shard '{}' is not in the same folder.", path, name);
    }
    shards.push_back(io::Hdf5Reader::open((folder / name).string()));
  }
  return WeightsFile(std::move(shards));
}

bool WeightsFile::contains(const std::string& path) const {
  for (const io::Hdf5Reader& shard : shards_) {
    if (shard.contains(path)) return true;
  }
  return false;
}

std::vector<std::string> WeightsFile::children(const std::string& group) const {
  std::vector<std::string> names;
  for (const io::Hdf5Reader& shard : shards_) {
    for (std::string& name : shard.children(group)) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  }
  if (shards_.size() > 1) io::sort_names(names);
  return names;
}

Tensor WeightsFile::read(const std::string& path) const {
  for (const io::Hdf5Reader& shard : shards_) {
    if (shard.contains(path)) return shard.read(path);
  }
  throw KeyError("The weights file has no array '{}'.", path);
}

void write_weights(io::Hdf5Writer& file, const Layer& layer, const Optimizer* optimizer) {
  std::unordered_set<const LayerState*> seen;
  write(file, layer, "", seen);
  if (optimizer == nullptr || !optimizer->built()) return;
  file.group("optimizer/vars");
  file.string_attribute("optimizer/vars", "name", optimizer->name());
  size_t index = 0;
  for (const Variable& v : optimizer->variables()) {
    file.write(format("optimizer/vars/{}", index++), v.stored());
  }
}

void read_weights(const WeightsFile& file, Layer& layer, Optimizer* optimizer,
                  const LoadWeightsOptions& options) {
  const ir::TraceSuspension suspension;
  Reader reader(file, options);
  const Changes before = present_values(layer.variables());
  try {
    reader.read(layer, "");
  } catch (...) {
    store(before);
    throw;
  }
  if (optimizer == nullptr) return;
  if (!optimizer->built()) optimizer->build(layer.trainable_variables());
  if (file.contains("optimizer")) {
    Tensors arrays;
    for (const auto& [key, value] : store_of(file, "optimizer/vars")) arrays.push_back(value);
    load_optimizer_state(*optimizer, arrays);
  }
}

void save_weights_h5(const std::string& path, const Layer& layer, const Optimizer* optimizer) {
  io::Hdf5Writer file;
  write_weights(file, layer, optimizer);
  write_file_atomically(path, file.bytes());
}

}  // namespace antler::saving
