#include "cluster/dataset_registry.h"

#include <exception>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "antler/cluster/cluster_coordinator.h"
#include "base/strings.h"

namespace antler::cluster {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, MakeDataset> functions;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

void register_dataset_fn(const std::string& name, MakeDataset make) {
  if (make == nullptr)
    throw TypeError("register_dataset_fn: expected a function. Received an empty one.");
  if (name.empty()) throw ValueError("register_dataset_fn: expected a name. Received none.");
  const std::lock_guard lock(registry().mutex);
  if (!registry().functions.emplace(name, std::move(make)).second)
    throw ValueError("register_dataset_fn: the name \"{}\" is taken.", name);
}

MakeDataset registered_dataset_fn(const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().functions.find(name);
  if (found != registry().functions.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [other, _] : registry().functions) known.push_back(other);
  throw KeyError(
      "The program of the worker has registered no data set \"{}\" (register_dataset_fn). It has "
      "registered: {}.",
      name, known.empty() ? "none" : join(known, ", "));
}

data::Dataset make_dataset(const MakeDataset& make, int64_t index, int64_t count) {
  const auto failed = [&](const char* kind, const std::exception& error) {
    return ClosureInputError("The data set of worker {} could not be made: {}: {}", index, kind,
                             error.what());
  };
  try {
    return make(
        {.num_input_pipelines = count, .input_pipeline_id = index, .num_replicas_in_sync = 1});
  } catch (const Error& error) {
    throw failed(error.class_name(), error);
  } catch (const std::exception& error) {
    throw failed("error", error);
  }
}

OutOfRangeError end_of_sequence() {
  return OutOfRangeError("End of sequence: the data set of the worker has no further element.");
}

}  // namespace antler::cluster
