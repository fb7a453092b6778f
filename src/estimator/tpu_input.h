#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "estimator/input_stream.h"

namespace antler::estimator {

struct JoinOptions {
  /// The number of batches of each stream that form a global one.
  int64_t elements_per_stream = 1;
  /// The axis along which each leaf is joined; empty: axis 0.
  std::vector<int64_t> batch_axis = {};
  /// Whether the last batches are joined if they are too few for a global one; otherwise they are
  /// dropped.
  bool keeps_partial = false;
  /// Whether peek() throws ValueError for batches of different shapes. With these, a replica would
  /// get rows of another one.
  bool must_be_equal = false;
};

/// Joins the batches of several calls of input_fn into global ones, in the order of the replicas.
std::shared_ptr<InputStream> join_streams(std::vector<std::shared_ptr<InputStream>> streams,
                                          const JoinOptions& options);

/// The batches of another stream, padded with rows of zeros, because the replicas of an accelerator
/// system get equal parts.
class PaddedStream final : public InputStream {
 public:
  PaddedStream(std::shared_ptr<InputStream> stream, int64_t batch_size);
  std::optional<Nest> promised_spec() const override;
  /// Throws ValueError for more than batch_size rows, and for tensors without rows.
  const Nest* peek() override;
  void consume() override;
  void restart() override;
  int64_t batch_size() const { return batch_size_; }
  /// The number of real rows, which come first, in the batch that was consumed last.
  int64_t real_rows() const { return real_rows_; }

 private:
  Tensor padded(const Tensor& leaf);

  std::shared_ptr<InputStream> stream_;
  int64_t batch_size_;
  Nest batch_;
  bool has_batch_ = false;
  int64_t next_rows_ = 0;  ///< of the batch that was peeked at
  int64_t real_rows_ = 0;
};

}  // namespace antler::estimator
