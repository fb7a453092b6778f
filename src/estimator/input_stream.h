#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "antler/core/feed.h"
#include "antler/core/nest.h"
#include "antler/estimator/input_fn.h"

namespace antler::estimator {

/// The batches of a call, each a list [features, labels]; labels are none where there are none.
class InputStream {
 public:
  virtual ~InputStream() = default;
  /// What all batches have in common; not given where only the batches tell.
  virtual std::optional<Nest> promised_spec() const = 0;
  /// Stores the next batch without consuming it; false at the end.
  virtual bool peek(Nest& batch) = 0;
  virtual void consume() = 0;
  /// Starts again from the first batch.
  virtual void restart() = 0;
};

/// The stream of what an input_fn returned. Throws ValueError for elements that are neither
/// features nor [features, labels].
std::shared_ptr<InputStream> make_input_stream(const InputData& input);
/// The same batches without labels.
std::shared_ptr<InputStream> without_labels(std::shared_ptr<InputStream> stream);
/// An element of a data set as [features, labels].
Nest as_batch(const Nest& element);

/// Feeds batches of one signature to a program, and behind them the values of placeholders.
class StepFeed final : public BatchFeed {
 public:
  StepFeed(InputStream& stream, const Nest& spec, const Tensors& placeholders);
  bool fill(std::span<void* const> buffers) override;
  bool fill_or_lend(std::span<void*> batch) override;

 private:
  /// The leaves of the next batch; false at the end or if they have another signature.
  bool next();
  InputStream& stream_;
  std::vector<TensorSpec> specs_;
  Tensors placeholders_;
  Tensors leaves_;  ///< of the batch that was lent last
};

}  // namespace antler::estimator
