#include "antler/data/array_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "data/class_weight.h"
#include "data/gather.h"
#include "data/permutation.h"
#include "data/rows.h"

namespace antler::data {
namespace {

class ArraySource final : public DataSource {
 public:
  /// `arrays` is [x, y, sample_weight]; all its defined leaves have `rows` rows.
  ArraySource(Nest arrays, int64_t rows, const ArraySourceOptions& options)
      : arrays_(std::move(arrays)),
        rows_(rows),
        batch_size_(options.batch_size),
        shuffle_(options.shuffle.value()),
        seed_(options.seed),
        next_(std::min(batch_size_, rows_)),
        reported_(next_) {
    for (const Tensor& leaf : arrays_.flatten()) {
      if (!leaf.defined()) continue;
      const size_t row_bytes = leaf.bytes() / static_cast<size_t>(rows_);
      columns_.push_back({static_cast<std::byte*>(leaf.mutable_data()), row_bytes,
                          gather_share(static_cast<size_t>(leaf.shape().rank() - 1), row_bytes)});
    }
    if (shuffle_ != Shuffle::none) order_.resize(static_cast<size_t>(rows_));
  }

  int64_t num_batches() const override { return (rows_ - 1) / batch_size_ + 1; }

  Epochs epochs() const override { return Epochs::joined_passes; }

  void set_seed(uint64_t seed) override {
    seed_ = seed;
    ordered_ = ~uint64_t{0};
  }

  void reset() override {
    ++pass_;
    at_ = 0;
    next_ = std::min(batch_size_, rows_);
  }

  bool peek(Nest& specs) override {
    if (next_ == 0) return false;
    reported_ = next_;
    specs = arrays_.map([&](const Tensor& leaf) {
      if (!leaf.defined()) return Tensor();
      Shape shape = leaf.shape();
      shape[0] = next_;
      return Tensor::spec_only({leaf.dtype(), shape});
    });
    return true;
  }

  bool fill(std::span<void* const> buffers) override {
    if (!has_reported_batch()) return false;
    for (size_t i = 0; i < columns_.size(); ++i) copy(columns_[i], buffers[i]);
    advance();
    return true;
  }

  bool fill_or_lend(std::span<void*> batch) override {
    if (!has_reported_batch()) return false;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (std::byte* const in_place = rows_in_place(columns_[i])) {
        batch[i] = in_place;
      } else {
        copy(columns_[i], batch[i]);
      }
    }
    advance();
    return true;
  }

  std::vector<Tensor> row_arrays() const override {
    if (rows_ > std::numeric_limits<int32_t>::max()) return {};
    std::vector<Tensor> arrays = arrays_.flatten();
    std::erase_if(arrays, [](const Tensor& leaf) { return !leaf.defined(); });
    return arrays;
  }

  bool fill_row_numbers(std::span<int32_t> rows) override {
    if (!has_reported_batch()) return false;
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t at = at_ + static_cast<int64_t>(i);
      rows[i] = static_cast<int32_t>(shuffle_ == Shuffle::none ? at : order()[at]);
    }
    advance();
    return true;
  }

  int64_t signature() override {
    reported_ = next_ > 0 ? next_ : rows_ - (num_batches() - 1) * batch_size_;
    return reported_;
  }

  int64_t batch_rows() override { return next_; }

 private:
  struct Column {
    std::byte* data;
    size_t row_bytes;
    GatherShare share;
  };

  /// Whether the next batch has the specs that were last reported to the caller.
  bool has_reported_batch() const { return next_ > 0 && next_ == reported_; }

  void advance() {
    at_ += next_;
    next_ = std::min(batch_size_, rows_ - at_);
  }

  /// The first row of the next batch, for a source that does not shuffle.
  std::byte* rows(const Column& column) const {
    return column.data + static_cast<size_t>(at_) * column.row_bytes;
  }

  /// The next batch, if it can be read without a copy; else null.
  std::byte* rows_in_place(const Column& column) const {
    if (shuffle_ != Shuffle::none) return nullptr;
    std::byte* const first = rows(column);
    return reinterpret_cast<uintptr_t>(first) % kLentAlignment == 0 ? first : nullptr;
  }

  void copy(const Column& column, void* to) {
    if (shuffle_ == Shuffle::none) {
      std::memcpy(to, rows(column), static_cast<size_t>(next_) * column.row_bytes);
      return;
    }
    gather_rows(static_cast<std::byte*>(to), column.data, column.row_bytes, order() + at_, next_,
                column.share);
  }

  /// The order of the rows in this pass, for a source that shuffles.
  const int64_t* order() {
    if (ordered_ != pass_) {
      if (shuffle_ == Shuffle::rows) {
        random_permutation(order_, seed_, pass_);
      } else {
        random_batches(order_, batch_size_, seed_, pass_);
      }
      ordered_ = pass_;
    }
    return order_.data();
  }

  Nest arrays_;  // keeps the bytes of columns_ alive
  std::vector<Column> columns_;
  int64_t rows_;
  int64_t batch_size_;
  Shuffle shuffle_;
  uint64_t seed_;
  uint64_t pass_ = 0;
  std::vector<int64_t> order_;
  uint64_t ordered_ = ~uint64_t{0};  ///< the pass that order_ is for
  int64_t at_ = 0;                   ///< first row of the next batch
  int64_t next_;                     ///< number of rows of the next batch
  int64_t reported_;  ///< the last reported number of rows; the caller's buffers have this size
};

}  // namespace

std::unique_ptr<DataSource> array_source(const Nest& x, const Nest& y, const Nest& sample_weight,
                                         const ArraySourceOptions& options) {
  if (options.batch_size < 1) {
    throw ValueError("`batch_size` must be positive. Received: {}.", options.batch_size);
  }
  if (x.is_none()) throw ValueError("Expected input data: `x` was not given.");
  const int64_t rows = common_rows({{"x", x}, {"y", y}, {"sample_weight", sample_weight}});
  Nest weights = sample_weight;
  if (!options.class_weight.empty()) {
    weights = apply_class_weight(options.class_weight, y, sample_weight);
  }
  const Nest arrays = std::vector<Nest>{x, y, std::move(weights)};
  return std::make_unique<ArraySource>(arrays.map(to_default_float), rows, options);
}

}  // namespace antler::data
