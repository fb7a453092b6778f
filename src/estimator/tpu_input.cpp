#include "estimator/tpu_input.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler::estimator {
namespace {

class JoinedStream final : public InputStream {
 public:
  JoinedStream(std::vector<std::shared_ptr<InputStream>> streams, const JoinOptions& options)
      : streams_(std::move(streams)), options_(options) {}

  std::optional<Nest> promised_spec() const override {
    const std::optional<Nest> one = streams_.front()->promised_spec();
    if (!one) return std::nullopt;
    const int64_t parts = std::ssize(streams_) * options_.elements_per_stream;
    Tensors leaves = one->flatten();
    size_t defined = 0;
    for (Tensor& leaf : leaves) {
      if (!leaf.defined()) continue;
      const int64_t axis = axis_of(defined++);
      std::vector<int64_t> dims = leaf.shape().dims();
      int64_t& size = dims.at(static_cast<size_t>(axis));
      if (size != Shape::kUnknown) size *= parts;
      leaf = Tensor::spec_only({leaf.dtype(), Shape(std::move(dims))});
    }
    return one->pack(leaves);
  }

  const Nest* peek() override {
    if (!has_batch_) {
      std::vector<Nest> parts;
      for (const auto& stream : streams_) {
        for (int64_t i = 0; i < options_.elements_per_stream; ++i) {
          const Nest* const part = stream->peek();
          if (part == nullptr) {
            if (!options_.keeps_partial) return nullptr;
            break;
          }
          parts.push_back(*part);
          stream->consume();
        }
      }
      if (parts.empty()) return nullptr;
      batch_ = joined(parts);
      has_batch_ = true;
    }
    return &batch_;
  }
  void consume() override { has_batch_ = false; }
  void restart() override {
    has_batch_ = false;
    for (const auto& stream : streams_) stream->restart();
  }

 private:
  int64_t axis_of(size_t leaf) const {
    return leaf < options_.batch_axis.size() ? options_.batch_axis[leaf] : 0;
  }

  Nest joined(const std::vector<Nest>& parts) const {
    if (parts.size() == 1) return parts.front();
    Tensors leaves = parts.front().flatten();
    size_t defined = 0;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!leaves[i].defined()) continue;
      Tensors values;
      for (const Nest& part : parts) {
        values.push_back(part.flatten().at(i));
        if (options_.must_be_equal && values.back().shape() != leaves[i].shape()) {
          throw ValueError(
              "The batches for different replicas must have the same shapes. Received {} and {}.",
              leaves[i].shape(), values.back().shape());
        }
      }
      leaves[i] = ops::concatenate(values, axis_of(defined++));
    }
    return parts.front().pack(leaves);
  }

  std::vector<std::shared_ptr<InputStream>> streams_;
  JoinOptions options_;
  Nest batch_;
  bool has_batch_ = false;
};

}  // namespace

std::shared_ptr<InputStream> join_streams(std::vector<std::shared_ptr<InputStream>> streams,
                                          const JoinOptions& options) {
  if (streams.size() == 1 && options.elements_per_stream == 1) return streams.front();
  return std::make_shared<JoinedStream>(std::move(streams), options);
}

PaddedStream::PaddedStream(std::shared_ptr<InputStream> stream, int64_t batch_size)
    : stream_(std::move(stream)), batch_size_(batch_size) {}

std::optional<Nest> PaddedStream::promised_spec() const {
  const std::optional<Nest> spec = stream_->promised_spec();
  if (!spec) return std::nullopt;
  return spec->map([this](const Tensor& leaf) {
    if (!leaf.defined()) return leaf;
    std::vector<int64_t> dims = leaf.shape().dims();
    if (!dims.empty()) dims[0] = batch_size_;
    return Tensor::spec_only({leaf.dtype(), Shape(std::move(dims))});
  });
}

Tensor PaddedStream::padded(const Tensor& leaf) {
  if (!leaf.defined()) return leaf;
  if (leaf.rank() == 0) {
    throw ValueError("Features of predictions must have rows. Received the scalar {}.", leaf.str());
  }
  const int64_t rows = leaf.shape()[0];
  if (rows > batch_size_) {
    throw ValueError(
        "The real batch size should not be greater than batch_size: {}. Received a tensor of shape "
        "{}.",
        batch_size_, leaf.shape());
  }
  next_rows_ = rows;
  if (rows == batch_size_) return leaf;
  const std::vector<int64_t> none(static_cast<size_t>(leaf.rank()), 0);
  std::vector<int64_t> missing = none;
  missing[0] = batch_size_ - rows;
  return ops::pad(leaf, none, missing);
}

const Nest* PaddedStream::peek() {
  if (!has_batch_) {
    const Nest* const real = stream_->peek();
    if (real == nullptr) return nullptr;
    batch_ = real->map([this](const Tensor& leaf) { return padded(leaf); });
    has_batch_ = true;
  }
  return &batch_;
}

void PaddedStream::consume() {
  stream_->consume();
  has_batch_ = false;
  real_rows_ = next_rows_;
}

void PaddedStream::restart() {
  stream_->restart();
  has_batch_ = false;
}

}  // namespace antler::estimator
