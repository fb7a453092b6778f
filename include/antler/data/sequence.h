#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "antler/core/nest.h"
#include "antler/data/fit_data.h"

namespace antler::data {

/// Batches by their number (Keras's PyDataset / Sequence). Derive, and pass a shared_ptr to fit:
///
///     class Images : public data::Sequence { ... };
///     model.fit(std::make_shared<Images>(...), {.epochs = 3});
///
/// fit shuffles the order of the batches, another one for each epoch, unless `shuffle` is false.
class Sequence {
 public:
  virtual ~Sequence() = default;
  /// Number of batches of an epoch; DataSource::kEndless = without end.
  virtual int64_t size() const = 0;
  /// Batch number `index`: [x, y], [x, y, sample_weight], [x] or x. With several workers it is
  /// called by several threads at once, and from the start of the epoch on for later batches.
  virtual Nest item(int64_t index) = 0;
  /// Called after each epoch of fit, while no worker runs.
  virtual void on_epoch_end() {}

  /// Threads that make batches ahead, in order; not given: the argument of fit. 1 makes each batch
  /// when it is needed, on the training thread.
  virtual std::optional<int64_t> workers() const { return std::nullopt; }
  /// Batches that they may be ahead; not given: the argument of fit.
  virtual std::optional<int64_t> max_queue_size() const { return std::nullopt; }

  static std::shared_ptr<DataSource> source(std::shared_ptr<Sequence> sequence,
                                            const SourceOptions& options);
};

}  // namespace antler::data
