#include "antler/saving/checkpoint.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/io/tensor_bundle.h"
#include "antler/ir/tracer.h"
#include "saving/checkpoint_objects.h"
#include "saving/checkpoint_state.h"

namespace antler {
namespace {

constexpr const char* kSaveCounter = "save_counter";

}  // namespace

Checkpoint::Checkpoint(Objects objects, const CheckpointOptions& options)
    : objects_(std::move(objects)),
      options_(options),
      save_counter_(Tensor::zeros(DType::int64, {}), {.name = kSaveCounter, .trainable = false}) {
  if (options.keras_version != 2 && options.keras_version != 3) {
    throw ValueError("Checkpoint: `keras_version` must be 2 or 3. Received: {}",
                     options.keras_version);
  }
  for (const auto& [name, value] : objects_) {
    if (name.empty() || name == kSaveCounter) {
      throw ValueError("Checkpoint: an object cannot be named '{}'.", name);
    }
  }
}

void Checkpoint::track(const std::string& name, const Trackable& object) {
  const bool is_taken = std::any_of(objects_.begin(), objects_.end(),
                                    [&](const auto& entry) { return entry.first == name; });
  if (is_taken || name.empty() || name == kSaveCounter)
    throw ValueError("Checkpoint: an object cannot be named '{}'.", name);
  objects_.emplace_back(name, object);
}

Variables Checkpoint::variables() const {
  Variables all;
  for (const auto& [name, value] : objects_) {
    if (const auto* variable = std::get_if<Variable>(&value)) {
      all.push_back(*variable);
      continue;
    }
    const auto* layer = std::get_if<LayerPtr>(&value);
    const Variables own =
        layer != nullptr ? (*layer)->variables() : std::get<OptimizerPtr>(value)->variables();
    all.insert(all.end(), own.begin(), own.end());
  }
  all.push_back(save_counter_);
  return all;
}

void Checkpoint::write(const std::string& prefix) const {
  const ir::TraceSuspension suspension;
  saving::ObjectGraphWriter writer(options_.keras_version);
  for (const auto& [name, value] : objects_) writer.add(name, value);
  writer.add(kSaveCounter, save_counter_);
  io::save_tensor_bundle(prefix, writer.entries());
}

void Checkpoint::read(const std::string& prefix, const RestoreOptions& options) const {
  const ir::TraceSuspension suspension;
  const io::TensorBundle bundle = io::TensorBundle::open(prefix);
  saving::ObjectGraphReader reader(bundle, options.expect_partial);
  for (const auto& [name, value] : objects_) reader.read(name, value);
  if (reader.child_of(0, kSaveCounter) >= 0) reader.read(kSaveCounter, save_counter_);
  reader.store();
}

std::string Checkpoint::save(const std::string& prefix) {
  const auto number = static_cast<int64_t>(save_counter_.stored().item()) + 1;
  save_counter_.store(Tensor::full(DType::int64, {}, static_cast<double>(number)));
  std::string numbered = format("{}-{}", prefix, number);
  write(numbered);
  saving::write_checkpoint_state(saving::folder_of(prefix),
                                 {.model_checkpoint_path = numbered,
                                  .all_model_checkpoint_paths = {numbered},
                                  .all_model_checkpoint_timestamps = {}});
  return numbered;
}

void Checkpoint::restore(const std::string& prefix, const RestoreOptions& options) {
  read(prefix, options);
}

}  // namespace antler
