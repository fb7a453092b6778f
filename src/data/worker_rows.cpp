#include "data/worker_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/ceil_div.h"

namespace antler::data {
namespace {

class WorkerRows final : public DataSource {
 public:
  WorkerRows(std::shared_ptr<DataSource> global, std::function<WorkerPlace()> place)
      : global_(std::move(global)), place_(std::move(place)) {}

  int64_t num_batches() const override { return global_->num_batches(); }
  Epochs epochs() const override { return global_->epochs(); }
  void on_epoch_end() override { global_->on_epoch_end(); }
  void reset() override { global_->reset(); }
  void set_seed(uint64_t seed) override { global_->set_seed(seed); }
  int64_t signature() override { return reported_ = current_signature(); }

  bool peek(Nest& specs) override {
    Nest global;
    if (!global_->peek(global)) return false;
    reported_ = current_signature();
    const int64_t rows = global_->batch_rows();
    specs = global.map([&](const Tensor& leaf) {
      if (!leaf.defined() || !has_rows(leaf, rows)) return leaf;
      Shape shape = leaf.shape();
      shape[0] = local_rows(rows);
      return Tensor::spec_only({leaf.dtype(), shape});
    });
    return true;
  }

  int64_t batch_rows() override {
    const int64_t rows = global_->batch_rows();
    return rows == 0 ? 0 : local_rows(rows);
  }

  WorkerBatch worker_batch() override {
    const int64_t rows = global_->batch_rows();
    return {.global_rows = rows, .is_empty = rows > 0 && own(rows).count() == 0};
  }

  bool fill(std::span<void* const> buffers) override {
    if (current_signature() != reported_) return false;
    prepare();
    std::vector<void*> batch = scratch_pointers_;
    if (!global_->fill_or_lend(batch)) return false;
    const RowRange part = own(rows_);
    for (size_t i = 0; i < columns_.size(); ++i)
      copy(columns_[i], part, static_cast<const std::byte*>(batch[i]),
           static_cast<std::byte*>(buffers[i]));
    return true;
  }

 private:
  struct Column {
    size_t row_bytes;  ///< bytes of a row, or of the leaf if it has no rows
    bool has_rows;
  };

  static bool has_rows(const Tensor& leaf, int64_t rows) {
    return leaf.rank() > 0 && leaf.dim(0) == rows;
  }
  /// The same number for batches with equal specs and equal shares of this worker.
  int64_t current_signature() {
    const auto next = static_cast<int64_t>(signatures_.size());
    return signatures_.emplace(std::pair(global_->signature(), place_()), next).first->second;
  }
  RowRange own(int64_t global_rows) const {
    const WorkerPlace place = place_();
    return part_of_worker(global_rows, place.rank, place.workers);
  }
  /// At least one row: a worker without rows reads a dummy row.
  int64_t local_rows(int64_t global_rows) const {
    return std::max<int64_t>(own(global_rows).count(), 1);
  }

  /// Makes room for the next global batch if its specs differ from those of the last one.
  void prepare() {
    if (reported_ == prepared_) return;
    Nest specs;
    if (!global_->peek(specs)) return;
    rows_ = global_->batch_rows();
    scratch_.clear();
    scratch_pointers_.clear();
    columns_.clear();
    for (const Tensor& leaf : specs.flatten()) {
      if (!leaf.defined()) continue;
      scratch_.push_back(Tensor::empty(leaf.dtype(), leaf.shape()));
      scratch_pointers_.push_back(scratch_.back().mutable_data());
      const bool rows = has_rows(leaf, rows_);
      const size_t bytes = scratch_.back().bytes();
      columns_.push_back({rows ? bytes / static_cast<size_t>(rows_) : bytes, rows});
    }
    prepared_ = reported_;
  }

  static void copy(const Column& column, const RowRange& part, const std::byte* from,
                   std::byte* to) {
    if (!column.has_rows) {
      std::memcpy(to, from, column.row_bytes);
    } else if (part.count() == 0) {
      std::memset(to, 0, column.row_bytes);
    } else {
      std::memcpy(to, from + static_cast<size_t>(part.begin) * column.row_bytes,
                  static_cast<size_t>(part.count()) * column.row_bytes);
    }
  }

  std::shared_ptr<DataSource> global_;
  std::function<WorkerPlace()> place_;
  std::map<std::pair<int64_t, WorkerPlace>, int64_t> signatures_;
  int64_t reported_ = -1;  ///< the last reported signature; the caller's buffers match it
  int64_t prepared_ = -1;  ///< the signature for which the members below were made
  int64_t rows_ = 0;
  Tensors scratch_;  ///< a global batch
  std::vector<void*> scratch_pointers_;
  std::vector<Column> columns_;
};

}  // namespace

RowRange part_of_worker(int64_t global_rows, int64_t rank, int64_t workers) {
  const int64_t share = ceil_div(global_rows, workers);
  const int64_t begin = std::min(rank * share, global_rows);
  return {begin, std::min(begin + share, global_rows)};
}

std::shared_ptr<DataSource> worker_rows(std::shared_ptr<DataSource> global,
                                        std::function<WorkerPlace()> place) {
  return std::make_shared<WorkerRows>(std::move(global), std::move(place));
}

}  // namespace antler::data
