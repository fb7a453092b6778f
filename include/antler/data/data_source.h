#pragma once

#include <cstdint>

#include "antler/core/feed.h"
#include "antler/core/nest.h"

namespace antler {

/// Where a training loop gets its batches from: passes over data, one batch at a time.
///
/// A pass is: reset(), then fill() until batch_rows() is 0. Before a fill(), signature() or peek()
/// tells what the buffers must hold: the leaves of the batch in flatten() order, undefined leaves
/// left out. One thread uses a source.
class DataSource : public BatchFeed {
 public:
  static constexpr int64_t kUnknown = -1;
  static constexpr int64_t kEndless = -2;

  /// What follows when an epoch has ended.
  enum class Epochs : uint8_t {
    /// A new pass, if an epoch is one whole pass; else (`steps_per_epoch` is not num_batches()) the
    /// present pass goes on over all epochs. Data sets, and generators, whose reset() does nothing.
    whole_passes,
    /// Always a new pass. Sequences.
    new_pass,
    /// One stream of as many passes as there are epochs, whatever an epoch's size. Arrays.
    joined_passes,
  };

  /// Batches of a pass, or kUnknown, or kEndless.
  virtual int64_t num_batches() const = 0;
  virtual Epochs epochs() const { return Epochs::whole_passes; }
  /// Told after each epoch of fit (Keras's PyDataset.on_epoch_end).
  virtual void on_epoch_end() {}

  /// Starts the next pass, with a new order of rows where the source shuffles. A new source may be
  /// read without it. A source that cannot start over (a generator) goes on where it is.
  virtual void reset() = 0;

  /// Another seed for the orders of the passes, for one that goes on where another ended. Before a
  /// reset() whose pass it is to decide.
  virtual void set_seed(uint64_t) {}

  /// The next batch as a list [x, y, sample_weight] of spec-only tensors (Tensor::spec_only);
  /// undefined leaves stand for what is not given. Returns false at the end of the pass.
  virtual bool peek(Nest& specs) = 0;

  /// Writes the next batch and goes on to the one after it. Returns false, and stays, at the end of
  /// the pass and when the batch has other specs than signature() or peek() told last: buffers that
  /// were made for those would not fit.
  bool fill(std::span<void* const> buffers) override = 0;

  /// A number for the specs of the next batch: equal numbers of one source mean equal specs. At the
  /// end of the pass, that of the last batch.
  virtual int64_t signature() = 0;

  /// Rows of the next batch; 0 at the end of the pass.
  virtual int64_t batch_rows() = 0;
};

}  // namespace antler
