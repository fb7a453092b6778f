#include "cluster/per_worker_iterator.h"

#include <utility>

namespace antler::cluster {

std::optional<Nest> PerWorkerIterator::State::next(size_t worker, int64_t start) {
  Pipeline& pipeline = pipelines_[worker];
  if (pipeline.elements == nullptr || pipeline.start != start) {
    const data::Dataset dataset =
        make_({.num_input_pipelines = static_cast<int64_t>(pipelines_.size()),
               .input_pipeline_id = static_cast<int64_t>(worker),
               .num_replicas_in_sync = 1});
    pipeline = {dataset.iterate(), start};
  }
  Nest element;
  if (!pipeline.elements->next(element)) return std::nullopt;
  return element;
}

PerWorkerIterator PerWorkerDataset::iter() const {
  return PerWorkerIterator(
      std::make_shared<PerWorkerIterator::State>(make_, static_cast<size_t>(workers_)));
}

}  // namespace antler::cluster
