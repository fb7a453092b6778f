#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "antler/core/keyword.h"
#include "antler/core/nest.h"
#include "antler/data/fit_data.h"

namespace antler::data {

/// Options of a Sequence, in Keras's order.
struct SequenceOptions {
  std::optional<int64_t> workers = {};         ///< threads; not given: the argument of fit
  bool use_multiprocessing = false;            ///< no effect: workers are threads
  std::optional<int64_t> max_queue_size = {};  ///< batches made ahead; not given: that of fit
};

/// Batches by index (Keras's PyDataset / Sequence). Derive from it and pass a shared_ptr to fit:
///
///     class Images : public data::Sequence { ... };
///     model.fit(std::make_shared<Images>(...), {.epochs = 3});
///
/// fit shuffles the batches anew in each epoch unless `shuffle` is false.
class Sequence {
 public:
  /// Keras 3's name, for the constructors of derived classes: `: PyDataset(kw::workers = 2)`.
  using PyDataset = Sequence;
  Sequence() = default;
  explicit Sequence(const SequenceOptions& options) : options_(options) {}
  ANTLER_KEYWORD_CONSTRUCTOR(Sequence, SequenceOptions)
  virtual ~Sequence() = default;
  /// Number of batches of an epoch, or DataSource::kEndless.
  virtual int64_t size() const = 0;
  /// Batch number `index`: [x, y], [x, y, sample_weight], [x] or x. With several workers, several
  /// threads call it at once and ahead of time.
  virtual Nest item(int64_t index) = 0;
  /// Called after each epoch of fit. No worker runs meanwhile.
  virtual void on_epoch_end() {}

  /// Threads that make batches ahead; nullopt: the argument of fit. With 1 the training thread
  /// makes each batch when it is needed.
  virtual std::optional<int64_t> workers() const { return options_.workers; }
  /// Batches that workers may make ahead; nullopt: the argument of fit.
  virtual std::optional<int64_t> max_queue_size() const { return options_.max_queue_size; }

  static std::shared_ptr<DataSource> source(std::shared_ptr<Sequence> sequence,
                                            const SourceOptions& options);

 private:
  SequenceOptions options_;
};

}  // namespace antler::data
