#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "antler/core/feed.h"
#include "antler/core/nest.h"
#include "antler/estimator/input_fn.h"
#include "distribute/shared_variables.h"

namespace antler::estimator {

/// The batches of a call, each a list [features, labels]; labels are none if there are no labels.
class InputStream {
 public:
  virtual ~InputStream() = default;
  /// What all batches have in common; nullopt if only the batches show it.
  virtual std::optional<Nest> promised_spec() const = 0;
  /// The next batch, which is not consumed; null at the end. Valid until the next call.
  virtual const Nest* peek() = 0;
  virtual void consume() = 0;
  /// Starts again from the first batch.
  virtual void restart() = 0;
};

/// The stream of the data that an input_fn returned. Throws ValueError for elements that are
/// neither features nor [features, labels].
std::shared_ptr<InputStream> make_input_stream(const InputData& input);
/// The same batches without labels.
std::shared_ptr<InputStream> without_labels(std::shared_ptr<InputStream> stream);
/// An element of a data set as [features, labels].
Nest as_batch(const Nest& element);

/// The leaves of a batch, without undefined ones, in the form that programs take.
Tensors defined_leaves(const Nest& batch);
/// Whether tensors have these specs.
bool have_specs(const Tensors& tensors, const std::vector<TensorSpec>& specs);

/// Feeds batches of one signature to a program, followed by the values of placeholders.
class StepFeed final : public BatchFeed {
 public:
  /// `specs`: of the leaves of a batch, without undefined ones.
  StepFeed(InputStream& stream, const std::vector<TensorSpec>& specs, const Tensors& placeholders);
  bool fill(std::span<void* const> buffers) override;
  bool fill_or_lend(std::span<void*> batch) override;

 private:
  /// The leaves of the next batch; false at the end or if they have another signature.
  bool next();
  InputStream& stream_;
  const std::vector<TensorSpec>& specs_;
  Tensors placeholders_;
  Tensors leaves_;  ///< of the batch that was lent last
};

/// The same for a program whose variables are shared.
class StreamArguments final : public distribute::StepArguments {
 public:
  StreamArguments(InputStream& stream, const std::vector<TensorSpec>& specs,
                  const Tensors& placeholders)
      : stream_(stream), specs_(specs), placeholders_(placeholders) {}
  Tensors peek() override;
  void consume() override { stream_.consume(); }

 private:
  InputStream& stream_;
  const std::vector<TensorSpec>& specs_;
  const Tensors& placeholders_;
};

}  // namespace antler::estimator
