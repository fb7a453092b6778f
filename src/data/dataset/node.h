#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "antler/data/dataset.h"

/// Helpers for the steps of a data set. A node creates iterators. An iterator owns what it needs,
/// so that it may outlive the node.
namespace antler::data {

using Upstream = std::unique_ptr<ElementIterator>;
using NodePtr = std::shared_ptr<const DatasetNode>;

/// The pass of an inner pipeline that runs several times within one pass of the outer pipeline.
Pass inner_pass(const Pass& outer, uint64_t repetition);

/// An iterator that calls a function for each element.
class FunctionIterator final : public ElementIterator {
 public:
  explicit FunctionIterator(std::function<bool(Nest&)> next) : next_(std::move(next)) {}
  bool next(Nest& element) override { return next_(element); }

 private:
  std::function<bool(Nest&)> next_;
};

/// A node with the given cardinality that creates its iterators by calling a function.
class FunctionNode final : public DatasetNode {
 public:
  using Iterate = std::function<Upstream(const Pass&)>;
  FunctionNode(int64_t cardinality, PipelineFacts facts, Iterate iterate)
      : cardinality_(cardinality), facts_(std::move(facts)), iterate_(std::move(iterate)) {}
  Upstream iterate(const Pass& pass) const override { return iterate_(pass); }
  int64_t cardinality() const override { return cardinality_; }
  PipelineFacts facts() const override { return facts_; }

 private:
  int64_t cardinality_;
  PipelineFacts facts_;
  Iterate iterate_;
};

/// The facts of a step that reads `inputs`, except for the element_spec.
PipelineFacts joined_facts(const std::vector<Dataset>& inputs);

/// A source of elements.
template <class Iterate>
Dataset make_source(int64_t cardinality, const PipelineFacts& facts, Iterate iterate) {
  return Dataset(std::make_shared<FunctionNode>(cardinality, facts, std::move(iterate)));
}
/// A step that reads `inputs`.
template <class Iterate>
Dataset make_dataset(int64_t cardinality, const std::vector<Dataset>& inputs, Iterate iterate) {
  return make_source(cardinality, joined_facts(inputs), std::move(iterate));
}

/// A step that selects some elements of `input`, or changes their order.
template <class Iterate>
Dataset make_selection(int64_t cardinality, const Dataset& input, Iterate iterate) {
  return make_source(cardinality, input.facts(), std::move(iterate));
}
/// The tensors' dtypes and shapes.
Nest spec_of(const Nest& tensors);

template <class Next>
Upstream make_iterator(Next next) {
  return std::make_unique<FunctionIterator>([state = std::make_shared<Next>(std::move(next))](
                                                Nest& element) { return (*state)(element); });
}

}  // namespace antler::data
