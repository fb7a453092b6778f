#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "data/dataset/node.h"

namespace antler::data {
namespace {

void check_equal(const Nest& first, const Nest& other) {
  if (first.structure() != other.structure()) {
    throw ValueError("Dataset.batch: cannot batch elements of different structures: {} and {}.",
                     first.structure(), other.structure());
  }
  const Tensors a = first.flatten();
  const Tensors b = other.flatten();
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].defined() || a[i].spec() == b[i].spec()) continue;
    throw ValueError(
        "Dataset.batch: cannot batch tensors with different shapes or dtypes in component {}. The "
        "first element has {}{}, another one has {}{}.",
        i, dtype_name(a[i].dtype()), a[i].shape(), dtype_name(b[i].dtype()), b[i].shape());
  }
}

/// The spec of `rows` tensors, stacked.
Tensor stacked_spec(const Tensor& one, int64_t rows) {
  std::vector<int64_t> dims = {rows};
  dims.insert(dims.end(), one.shape().begin(), one.shape().end());
  return Tensor::spec_only({one.dtype(), Shape(std::move(dims))});
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

Nest stack(const std::vector<Nest>& elements) {
  std::vector<Tensors> leaves;
  leaves.reserve(elements.size());
  for (const Nest& element : elements) {
    check_equal(elements.front(), element);
    leaves.push_back(element.flatten());
  }
  Tensors result;
  for (size_t i = 0; i < leaves.front().size(); ++i) result.push_back(stack(leaves, i));
  return elements.front().pack(result);
}

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
  if (count >= 0) count = options.drop_remainder ? count / size : (count + size - 1) / size;
  PipelineFacts facts = joined_facts({*this});
  if (const std::optional<Nest> element = element_spec()) {
    facts.element_spec = element->map([&](const Tensor& one) {
      return one.defined() ? stacked_spec(one, options.drop_remainder ? size : Shape::kUnknown)
                           : Tensor();
    });
  }
  return make_source(count, facts, [inner = *this, size, options](const Pass& pass) {
    return make_iterator([upstream = inner.iterate(pass), size, options](Nest& element) {
      std::vector<Nest> elements;
      Nest one;
      while (std::ssize(elements) < size && upstream->next(one)) elements.push_back(std::move(one));
      if (elements.empty() || (options.drop_remainder && std::ssize(elements) < size)) return false;
      element = stack(elements);
      return true;
    });
  });
}

Dataset Dataset::unbatch() const {
  const int64_t size = cardinality() == 0 || cardinality() == kInfinite ? cardinality() : kUnknown;
  return make_dataset(size, {*this}, [inner = *this](const Pass& pass) {
    return std::make_unique<UnbatchIterator>(inner.iterate(pass));
  });
}

}  // namespace antler::data
