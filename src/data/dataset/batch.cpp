#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "base/ceil_div.h"
#include "data/dataset/node.h"

namespace antler::data {
namespace {

/// Whether two trees have the same structure.
bool same_structure(const Nest& a, const Nest& b) {
  if (a.kind() != b.kind() || a.size() != b.size()) return false;
  if (a.is_tensor()) return a.is_none() == b.is_none();
  for (size_t i = 0; i < a.size(); ++i) {
    // The keys may be in a different order.
    if (a.items()[i].first != b.items()[i].first) return a.structure() == b.structure();
    if (!same_structure(a.items()[i].second, b.items()[i].second)) return false;
  }
  return true;
}

void check_equal(const char* caller, const Tensors& first, const Tensors& other) {
  for (size_t i = 0; i < first.size(); ++i) {
    if (!first[i].defined()) continue;
    if (first[i].dtype() == other[i].dtype() && first[i].shape() == other[i].shape()) continue;
    throw ValueError(
        "{}: cannot stack tensors with different shapes or dtypes in component {}. The first "
        "element has {}{}, another one has {}{}.",
        caller, i, dtype_name(first[i].dtype()), first[i].shape(), dtype_name(other[i].dtype()),
        other[i].shape());
  }
}

/// The spec of `rows` tensors, stacked.
Tensor stacked_spec(const Tensor& one, int64_t rows) {
  std::vector<int64_t> dims = {rows};
  dims.insert(dims.end(), one.shape().begin(), one.shape().end());
  return Tensor::spec_only({one.dtype(), Shape(std::move(dims))});
}

/// The spec of `rows` elements of the data set, stacked.
std::optional<Nest> stacked_spec(const Dataset& dataset, int64_t rows) {
  const std::optional<Nest> element = dataset.element_spec();
  if (!element) return {};
  return element->map(
      [&](const Tensor& one) { return one.defined() ? stacked_spec(one, rows) : Tensor(); });
}

Tensor stack(const std::vector<Tensors>& elements, size_t leaf) {
  const Tensor& first = elements.front()[leaf];
  if (!first.defined()) return {};
  std::vector<int64_t> dims = {std::ssize(elements)};
  dims.insert(dims.end(), first.shape().begin(), first.shape().end());
  Tensor result = Tensor::empty(first.dtype(), Shape(std::move(dims)));
  auto* to = static_cast<std::byte*>(result.mutable_data());
  const size_t bytes = first.bytes();
  for (size_t i = 0; i < elements.size(); ++i)
    if (bytes > 0) std::memcpy(to + i * bytes, elements[i][leaf].data(), bytes);
  return result;
}

Nest stack(const char* caller, const std::vector<Nest>& elements) {
  std::vector<Tensors> leaves;
  leaves.reserve(elements.size());
  for (const Nest& element : elements) {
    if (!same_structure(elements.front(), element)) {
      throw ValueError("{}: cannot stack elements of different structures: {} and {}.", caller,
                       elements.front().structure(), element.structure());
    }
    leaves.push_back(element.flatten());
    check_equal(caller, leaves.front(), leaves.back());
  }
  Tensors result;
  for (size_t i = 0; i < leaves.front().size(); ++i) result.push_back(stack(leaves, i));
  return elements.front().pack(result);
}

class WindowIterator final : public ElementIterator {
 public:
  WindowIterator(Upstream upstream, int64_t size, const WindowOptions& options, int64_t shift)
      : upstream_(std::move(upstream)),
        shift_(shift),
        stride_(options.stride),
        span_((size - 1) * options.stride + 1),
        drop_remainder_(options.drop_remainder) {}

  bool next(Nest& element) override {
    Nest one;
    for (; skipped_ > 0 && upstream_->next(one); --skipped_) continue;
    while (std::ssize(ahead_) < span_ && upstream_->next(one)) ahead_.push_back(std::move(one));
    if (ahead_.empty() || (drop_remainder_ && std::ssize(ahead_) < span_)) return false;
    std::vector<Nest> window;
    for (int64_t i = 0; i < std::ssize(ahead_); i += stride_) window.push_back(ahead_[i]);
    element = stack("Dataset.window", window);
    const int64_t passed = std::min(shift_, std::ssize(ahead_));
    ahead_.erase(ahead_.begin(), ahead_.begin() + passed);
    skipped_ = shift_ - passed;
    return true;
  }

 private:
  Upstream upstream_;
  int64_t shift_;
  int64_t stride_;
  int64_t span_;  // from a window's first element to its last
  bool drop_remainder_;
  std::deque<Nest> ahead_;  // elements from the start of the next window
  int64_t skipped_ = 0;     // elements before the start of the next window
};

class UnbatchIterator final : public ElementIterator {
 public:
  explicit UnbatchIterator(Upstream upstream) : upstream_(std::move(upstream)) {}

  bool next(Nest& element) override {
    while (rows_ == nullptr || !rows_->next(element)) {
      Nest batch;
      if (!upstream_->next(batch)) return false;
      rows_ = Dataset::from_tensor_slices(batch).iterate();
    }
    return true;
  }

 private:
  Upstream upstream_;
  Upstream rows_;
};

}  // namespace

Dataset Dataset::batch(int64_t size, const BatchOptions& options) const {
  if (size < 1) {
    throw ValueError("Dataset.batch: the batch size must be positive. Received: {}", size);
  }
  int64_t count = cardinality();
  if (count >= 0) count = options.drop_remainder ? count / size : ceil_div(count, size);
  PipelineFacts facts = joined_facts({*this});
  facts.element_spec = stacked_spec(*this, options.drop_remainder ? size : Shape::kUnknown);
  return make_source(count, facts, [inner = *this, size, options](const Pass& pass) {
    return make_iterator([upstream = inner.iterate(pass), size, options](Nest& element) {
      if (upstream->next_rows(size, element)) return true;
      std::vector<Nest> elements;
      Nest one;
      while (std::ssize(elements) < size && upstream->next(one)) elements.push_back(std::move(one));
      if (elements.empty() || (options.drop_remainder && std::ssize(elements) < size)) return false;
      element = stack("Dataset.batch", elements);
      return true;
    });
  });
}

Dataset Dataset::window(int64_t size, const WindowOptions& options) const {
  const int64_t shift = options.shift.value_or(size);
  if (size < 1 || shift < 1 || options.stride < 1) {
    throw ValueError(
        "Dataset.window: size, shift and stride must be positive. Received: size={}, shift={}, "
        "stride={}",
        size, shift, options.stride);
  }
  int64_t count = cardinality();
  const int64_t span = (size - 1) * options.stride + 1;
  // A window starts at every shift-th element that is followed by enough others.
  if (count >= 0) {
    const int64_t last = options.drop_remainder ? count - span : count - 1;
    count = last < 0 ? 0 : last / shift + 1;
  }
  PipelineFacts facts = joined_facts({*this});
  facts.element_spec = stacked_spec(*this, options.drop_remainder ? size : Shape::kUnknown);
  return make_source(count, facts, [inner = *this, size, options, shift](const Pass& pass) {
    return std::make_unique<WindowIterator>(inner.iterate(pass), size, options, shift);
  });
}

Dataset Dataset::unbatch() const {
  const int64_t size = cardinality() == 0 || cardinality() == kInfinite ? cardinality() : kUnknown;
  return make_dataset(size, {*this}, [inner = *this](const Pass& pass) {
    return std::make_unique<UnbatchIterator>(inner.iterate(pass));
  });
}

}  // namespace antler::data
