#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/feed.h"
#include "antler/core/nest.h"

namespace antler {

/// What a worker knows about the global batch whose rows it shares.
struct WorkerBatch {
  int64_t global_rows =
      0;                  ///< rows of all workers together; 0: each worker has as many as this one
  bool is_empty = false;  ///< this worker has no rows and reads a dummy batch
  /// Rows of each worker. Empty: each worker in turn has ceil(global_rows / workers) of the
  /// remaining rows.
  std::vector<int64_t> rows_of_workers = {};
  friend bool operator==(const WorkerBatch&, const WorkerBatch&) = default;
};

/// A source of batches for a training loop. It passes over the data, one batch at a time.
///
/// A pass is reset(), then fill() until batch_rows() is 0. Before fill(), signature() or peek()
/// gives the specs of the buffers: the leaves of the batch in flatten() order without undefined
/// leaves. Not thread-safe.
class DataSource : public BatchFeed {
 public:
  static constexpr int64_t kUnknown = -1;
  static constexpr int64_t kEndless = -2;

  /// What happens at the end of an epoch.
  enum class Epochs : uint8_t {
    /// A new pass starts if an epoch is one whole pass. Otherwise (`steps_per_epoch` is not
    /// num_batches()) one pass continues over all epochs. For data sets, and for generators, whose
    /// reset() does nothing.
    whole_passes,
    /// A new pass always starts. For sequences.
    new_pass,
    /// One stream of as many passes as there are epochs, whatever the size of an epoch. For arrays.
    joined_passes,
  };

  /// Number of batches of a pass, kUnknown or kEndless.
  virtual int64_t num_batches() const = 0;
  virtual Epochs epochs() const { return Epochs::whole_passes; }
  /// Called after each epoch of fit (Keras's PyDataset.on_epoch_end).
  virtual void on_epoch_end() {}

  /// Starts the next pass, in a new order if the source shuffles. Not needed before the first pass.
  /// A source that cannot start over (a generator) continues.
  virtual void reset() = 0;
  virtual bool can_start_over() const { return true; }

  /// Sets the seed of the orders of later passes, so that training can resume where it was
  /// interrupted. Takes effect at the next reset().
  virtual void set_seed(uint64_t) {}

  /// Stores the specs of the next batch as a list [x, y, sample_weight] of spec-only tensors
  /// (Tensor::spec_only); leaves that are not given are undefined. Returns false at the end of the
  /// pass.
  virtual bool peek(Nest& specs) = 0;

  /// Writes the next batch and advances. Returns false without advancing at the end of the pass,
  /// and if the batch's specs are not those that signature() or peek() last reported: it would not
  /// fit into buffers of those specs.
  bool fill(std::span<void* const> buffers) override = 0;

  /// A number that identifies the specs of the next batch: within one source, equal numbers mean
  /// equal specs. At the end of the pass it is that of the last batch.
  virtual int64_t signature() = 0;

  /// Number of rows of the next batch; 0 at the end of the pass.
  virtual int64_t batch_rows() = 0;

  /// The global batch that the next batch is a part of. Equal signatures mean equal results.
  virtual WorkerBatch worker_batch() { return {}; }
  /// Whether each worker reads its own batches, which are its parts of the global ones.
  virtual bool is_worker_part() const { return false; }
};

}  // namespace antler
