#pragma once

#include <memory>

#include "antler/antler.h"
#include "antler/cluster/multi_worker_mirrored_strategy.h"

/// Helpers for training runs with numbered samples, which record the samples that were seen.
namespace antler::test {

/// An elastic cluster. With ANTLER_TEST_RING in the environment, nothing goes through shared
/// memory.
cluster::MultiWorkerMirroredStrategy elastic_strategy(double timeout);

/// Appends a column with the number of each row.
Tensor numbered(const Tensor& values);
/// The square of the difference; y_true is what numbered() returned.
Tensor loss_of_numbered(const Tensor& y_true, const Tensor& y_pred);

/// Counts how often each sample was seen; y_true is what numbered() returned.
class Seen : public MetricBase<Seen> {
 public:
  explicit Seen(int64_t samples)
      : MetricBase("seen"), counts_(add_variable("counts", {samples})), samples_(samples) {}
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& weights) override;
  /// "seen": the number of samples seen, "not_once": the number not seen exactly once.
  Nest result() const override;
  std::shared_ptr<Metric> fresh() const override { return std::make_shared<Seen>(samples_); }

 private:
  Variable counts_;
  int64_t samples_;
};

}  // namespace antler::test
