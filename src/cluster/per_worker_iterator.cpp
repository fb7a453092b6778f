#include "cluster/per_worker_iterator.h"

#include <atomic>
#include <utility>

#include "cluster/dataset_registry.h"

namespace antler::cluster {

std::optional<Nest> PerWorkerIterator::State::next(size_t worker, int64_t start) {
  Pipeline& pipeline = pipelines_[worker];
  if (pipeline.start != start) {
    pipeline.elements = make_dataset(make_, static_cast<int64_t>(worker), num_workers()).iterate();
    pipeline.start = start;
  }
  Nest element;
  if (!pipeline.elements->next(element)) return std::nullopt;
  return element;
}

void PerWorkerIterator::State::made(size_t worker, int64_t start, std::optional<Nest> element) {
  pipelines_[worker] = {.start = start, .elements = {}, .example = std::move(element), .error = {}};
}

void PerWorkerIterator::State::failed(size_t worker, int64_t start, std::exception_ptr error) {
  pipelines_[worker] = {.start = start, .elements = {}, .example = {}, .error = std::move(error)};
}

const Nest& PerWorkerIterator::State::expected(size_t worker) const {
  const Pipeline& pipeline = pipelines_[worker];
  if (pipeline.error != nullptr) std::rethrow_exception(pipeline.error);
  if (!pipeline.example) throw end_of_sequence();
  return *pipeline.example;
}

uint64_t PerWorkerIterator::State::next_id() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

PerWorkerIterator PerWorkerDataset::iter() const {
  return PerWorkerIterator(std::make_shared<PerWorkerIterator::State>(
      make_, dataset_fn_, static_cast<size_t>(workers_)));
}

}  // namespace antler::cluster
