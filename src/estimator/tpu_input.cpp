#include "estimator/tpu_input.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler::estimator {
namespace {

class JoinedStream final : public InputStream {
 public:
  JoinedStream(std::vector<std::shared_ptr<InputStream>> streams, int64_t elements_per_stream,
               std::vector<int64_t> batch_axis)
      : streams_(std::move(streams)),
        elements_(elements_per_stream),
        batch_axis_(std::move(batch_axis)) {}

  std::optional<Nest> promised_spec() const override {
    const std::optional<Nest> one = streams_.front()->promised_spec();
    if (!one) return std::nullopt;
    const int64_t parts = std::ssize(streams_) * elements_;
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
        for (int64_t i = 0; i < elements_; ++i) {
          const Nest* const part = stream->peek();
          if (part == nullptr) return nullptr;
          parts.push_back(*part);
          stream->consume();
        }
      }
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
  int64_t axis_of(size_t leaf) const { return leaf < batch_axis_.size() ? batch_axis_[leaf] : 0; }

  Nest joined(const std::vector<Nest>& parts) const {
    if (parts.size() == 1) return parts.front();
    Tensors leaves = parts.front().flatten();
    size_t defined = 0;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!leaves[i].defined()) continue;
      Tensors values;
      for (const Nest& part : parts) values.push_back(part.flatten().at(i));
      leaves[i] = ops::concatenate(values, axis_of(defined++));
    }
    return parts.front().pack(leaves);
  }

  std::vector<std::shared_ptr<InputStream>> streams_;
  int64_t elements_;
  std::vector<int64_t> batch_axis_;
  Nest batch_;
  bool has_batch_ = false;
};

}  // namespace

std::shared_ptr<InputStream> join_streams(std::vector<std::shared_ptr<InputStream>> streams,
                                          int64_t elements_per_stream,
                                          const std::vector<int64_t>& batch_axis) {
  if (streams.size() == 1 && elements_per_stream == 1) return streams.front();
  return std::make_shared<JoinedStream>(std::move(streams), elements_per_stream, batch_axis);
}

}  // namespace antler::estimator
