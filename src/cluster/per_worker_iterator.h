#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/cluster/cluster_coordinator.h"

namespace antler::cluster {

/// The iterators of all workers. Each is used only by the thread that serves its worker.
///
/// `start` counts the starts of a worker's process. An iterator of an earlier start is created
/// again, at the start of its data set.
struct PerWorkerIterator::State {
 public:
  State(MakeDataset make, std::string dataset_fn, size_t workers)
      : make_(std::move(make)), dataset_fn_(std::move(dataset_fn)), pipelines_(workers) {}

  // ---- read by this process ----
  /// The next element; none at the end. Throws what the data set throws.
  std::optional<Nest> next(size_t worker, int64_t start);

  // ---- read by the workers ----
  bool is_remote() const { return make_ == nullptr; }
  /// Names it in messages.
  uint64_t id() const { return id_; }
  const std::string& dataset_fn() const { return dataset_fn_; }
  int64_t num_workers() const { return static_cast<int64_t>(pipelines_.size()); }
  /// Whether the worker has made it, or has failed to.
  bool is_made(size_t worker, int64_t start) const { return pipelines_[worker].start == start; }
  /// Records that the worker has made it. `element` has the structure of its first element, without
  /// values; none for an empty data set.
  void made(size_t worker, int64_t start, std::optional<Nest> element);
  void failed(size_t worker, int64_t start, std::exception_ptr error);
  /// Records that the structure of the worker's next element differs from the previous one's.
  void expect(size_t worker, Nest element) { pipelines_[worker].example = std::move(element); }
  /// The structure that the next element is expected to have. Throws the error of an iterator that
  /// could not be made, and OutOfRangeError for an empty data set.
  const Nest& expected(size_t worker) const;

 private:
  static constexpr int64_t kNever = -1;
  struct Pipeline {
    int64_t start = kNever;
    std::shared_ptr<data::ElementIterator> elements;
    std::optional<Nest> example;
    std::exception_ptr error;
  };
  const MakeDataset make_;
  const std::string dataset_fn_;
  const uint64_t id_ = next_id();
  std::vector<Pipeline> pipelines_;

  static uint64_t next_id();
};

}  // namespace antler::cluster
