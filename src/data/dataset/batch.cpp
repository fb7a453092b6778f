#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "data/dataset/node.h"

namespace antler::data {
namespace {

/// Whether two trees have the same structure.
bool same_structure(const Nest& a, const Nest& b) {
  if (a.kind() != b.kind() || a.size() != b.size()) return false;
  if (a.is_tensor()) return a.is_none() == b.is_none();
  for (size_t i = 0; i < a.size(); ++i) {
    // Keys may come in another order.
    if (a.items()[i].first != b.items()[i].first) return a.structure() == b.structure();
    if (!same_structure(a.items()[i].second, b.items()[i].second)) return false;
  }
  return true;
}

void check_equal(const Tensors& first, const Tensors& other) {
  for (size_t i = 0; i < first.size(); ++i) {
    if (!first[i].defined()) continue;
    if (first[i].dtype() == other[i].dtype() && first[i].shape() == other[i].shape()) continue;
    throw ValueError(
        "Dataset.batch: cannot batch tensors with different shapes or dtypes in component {}. The "
        "first element has {}{}, another one has {}{}.",
        i, dtype_name(first[i].dtype()), first[i].shape(), dtype_name(other[i].dtype()),
        other[i].shape());
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
    if (!same_structure(elements.front(), element)) {
      throw ValueError("Dataset.batch: cannot batch elements of different structures: {} and {}.",
                       elements.front().structure(), element.structure());
    }
    leaves.push_back(element.flatten());
    check_equal(leaves.front(), leaves.back());
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
      if (upstream->next_rows(size, element)) return true;
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
