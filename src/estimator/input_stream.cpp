#include "estimator/input_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "antler/base/error.h"
#include "data/rows.h"

namespace antler::estimator {
namespace {

class DatasetStream final : public InputStream {
 public:
  explicit DatasetStream(data::Dataset dataset) : dataset_(std::move(dataset)) {}

  std::optional<Nest> promised_spec() const override {
    const std::optional<Nest> spec = dataset_.element_spec();
    if (!spec) return std::nullopt;
    return as_batch(*spec);
  }
  const Nest* peek() override {
    if (!has_batch_) {
      if (ended_) return nullptr;
      if (elements_ == nullptr) elements_ = dataset_.iterate({.number = pass_});
      Nest element;
      if (!elements_->next(element)) {
        ended_ = true;
        elements_.reset();
        return nullptr;
      }
      batch_ = as_batch(element);
      has_batch_ = true;
    }
    return &batch_;
  }
  void consume() override {
    has_batch_ = false;
    batch_ = Nest();
  }
  void restart() override {
    consume();
    elements_.reset();
    ended_ = false;
    ++pass_;
  }

 private:
  data::Dataset dataset_;
  std::unique_ptr<data::ElementIterator> elements_;
  Nest batch_;
  bool has_batch_ = false;
  bool ended_ = false;
  uint64_t pass_ = 0;
};

/// The same tensors at every step.
class ConstantStream final : public InputStream {
 public:
  explicit ConstantStream(Nest batch) : batch_(std::move(batch)) {}
  std::optional<Nest> promised_spec() const override {
    return batch_.map([](const Tensor& leaf) {
      return leaf.defined() ? Tensor::spec_only(leaf.spec()) : Tensor();
    });
  }
  const Nest* peek() override { return &batch_; }
  void consume() override {}
  void restart() override {}

 private:
  Nest batch_;
};

/// Another stream without its labels.
class FeaturesStream final : public InputStream {
 public:
  explicit FeaturesStream(std::shared_ptr<InputStream> stream) : stream_(std::move(stream)) {}
  std::optional<Nest> promised_spec() const override {
    const std::optional<Nest> spec = stream_->promised_spec();
    if (!spec) return std::nullopt;
    return without(*spec);
  }
  const Nest* peek() override {
    const Nest* const batch = stream_->peek();
    if (batch == nullptr) return nullptr;
    batch_ = without(*batch);
    return &batch_;
  }
  void consume() override { stream_->consume(); }
  void restart() override { stream_->restart(); }

 private:
  static Nest without(const Nest& batch) { return std::vector<Nest>{batch[0], Nest()}; }
  std::shared_ptr<InputStream> stream_;
  Nest batch_;
};

}  // namespace

std::shared_ptr<InputStream> without_labels(std::shared_ptr<InputStream> stream) {
  return std::make_shared<FeaturesStream>(std::move(stream));
}

Nest as_batch(const Nest& element) {
  if (!element.is_list()) return std::vector<Nest>{element, Nest()};
  if (element.size() == 1) return std::vector<Nest>{element[0], Nest()};
  if (element.size() == 2) return std::vector<Nest>{element[0], element[1]};
  throw ValueError(
      "input_fn should return features, or a pair (features, labels). Received elements of the "
      "structure {}.",
      element.structure());
}

std::shared_ptr<InputStream> make_input_stream(const InputData& input) {
  if (input.is_dataset()) return std::make_shared<DatasetStream>(input.dataset());
  return std::make_shared<ConstantStream>(
      Nest(std::vector<Nest>{input.features(), input.labels()}));
}

Tensors defined_leaves(const Nest& batch) {
  Tensors leaves = batch.flatten();
  std::erase_if(leaves, [](const Tensor& leaf) { return !leaf.defined(); });
  return leaves;
}

bool have_specs(const Tensors& tensors, const std::vector<TensorSpec>& specs) {
  return std::equal(tensors.begin(), tensors.end(), specs.begin(), specs.end(),
                    [](const Tensor& tensor, const TensorSpec& spec) {
                      return tensor.dtype() == spec.dtype && tensor.shape() == spec.shape;
                    });
}

StepFeed::StepFeed(InputStream& stream, const std::vector<TensorSpec>& specs,
                   const Tensors& placeholders)
    : stream_(stream), specs_(specs), placeholders_(placeholders) {}

bool StepFeed::next() {
  const Nest* const batch = stream_.peek();
  if (batch == nullptr) return false;
  Tensors leaves = defined_leaves(*batch);
  if (!have_specs(leaves, specs_)) return false;
  stream_.consume();
  leaves_ = std::move(leaves);
  return true;
}

bool StepFeed::fill(std::span<void* const> buffers) {
  if (!next()) return false;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Tensor& leaf = i < leaves_.size() ? leaves_[i] : placeholders_[i - leaves_.size()];
    if (leaf.bytes() > 0) std::memcpy(buffers[i], leaf.data(), leaf.bytes());
  }
  return true;
}

bool StepFeed::fill_or_lend(std::span<void*> batch) {
  if (!next()) return false;
  for (size_t i = 0; i < batch.size(); ++i) {
    const Tensor& leaf = i < leaves_.size() ? leaves_[i] : placeholders_[i - leaves_.size()];
    data::lend_or_copy(leaf, batch[i]);
  }
  return true;
}

Tensors StreamArguments::peek() {
  const Nest* const batch = stream_.peek();
  if (batch == nullptr) return {};
  Tensors values = defined_leaves(*batch);
  if (!have_specs(values, specs_)) return {};
  values.insert(values.end(), placeholders_.begin(), placeholders_.end());
  return values;
}

}  // namespace antler::estimator
