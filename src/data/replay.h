#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "antler/data/data_source.h"

namespace antler::data {

/// A source that can repeat all batches since mark(). The given source must not be a worker's part.
class Replay final : public DataSource {
 public:
  explicit Replay(std::shared_ptr<DataSource> source) : source_(std::move(source)) {}

  /// Drops the batches read so far.
  void mark();
  /// Goes back to the first batch after mark().
  void rewind() { at_ = 0; }

  int64_t num_batches() const override { return source_->num_batches(); }
  Epochs epochs() const override { return source_->epochs(); }
  void on_epoch_end() override { source_->on_epoch_end(); }
  bool can_start_over() const override { return source_->can_start_over(); }
  void set_seed(uint64_t seed) override { source_->set_seed(seed); }
  void reset() override;
  bool peek(Nest& specs) override;
  int64_t signature() override;
  int64_t batch_rows() override;
  bool fill(std::span<void* const> buffers) override;
  bool fill_or_lend(std::span<void*> batch) override;

 private:
  struct Batch {
    Nest specs;
    Tensors leaves;  ///< the defined leaves
    int64_t signature = 0;
    int64_t rows = 0;
  };
  bool is_again() const { return at_ < kept_.size(); }
  /// The next batch, which is kept for rewind(); null at the end of the pass, or if its specs are
  /// not those that signature() or peek() last reported.
  const Batch* next();
  bool read();

  std::shared_ptr<DataSource> source_;
  std::deque<Batch> kept_;  ///< since mark()
  size_t at_ = 0;           ///< of the next batch in kept_; at kept_.size(), the source is read
  std::deque<Batch> free_;  ///< batches whose memory can be used again
  int64_t reported_ = -1;   ///< the last reported signature; the caller's buffers match it
};

}  // namespace antler::data
