#include "cluster/per_worker_iterator.h"

#include <exception>
#include <utility>

namespace antler::cluster {

std::optional<Nest> PerWorkerIterator::State::next(size_t worker, int64_t start) {
  Pipeline& pipeline = pipelines_[worker];
  if (pipeline.elements == nullptr || pipeline.start != start) {
    pipeline = {made(worker).iterate(), start};
  }
  Nest element;
  if (!pipeline.elements->next(element)) return std::nullopt;
  return element;
}

data::Dataset PerWorkerIterator::State::made(size_t worker) const {
  const auto failed = [&](const char* kind, const std::exception& error) {
    return ClosureInputError("The data set of worker {} could not be made: {}: {}", worker, kind,
                             error.what());
  };
  try {
    return make_({.num_input_pipelines = static_cast<int64_t>(pipelines_.size()),
                  .input_pipeline_id = static_cast<int64_t>(worker),
                  .num_replicas_in_sync = 1});
  } catch (const Error& error) {
    throw failed(error.class_name(), error);
  } catch (const std::exception& error) {
    throw failed("error", error);
  }
}

PerWorkerIterator PerWorkerDataset::iter() const {
  return PerWorkerIterator(
      std::make_shared<PerWorkerIterator::State>(make_, static_cast<size_t>(workers_)));
}

}  // namespace antler::cluster
