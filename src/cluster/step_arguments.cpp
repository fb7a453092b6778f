#include "cluster/step_arguments.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/nest.h"
#include "cluster/dataset_host.h"
#include "cluster/graph_codec.h"

namespace antler::cluster {
namespace {

Tensors defined_leaves(const Nest& element) {
  Tensors leaves = element.flatten();
  std::erase_if(leaves, [](const Tensor& leaf) { return !leaf.defined(); });
  return leaves;
}

/// Copies the arrays of an element into the arguments. Returns false if the program does not expect
/// them.
bool place(const Nest& element, const ElementArgument& argument,
           const std::vector<TensorSpec>& specs, Tensors& arguments) {
  const Tensors leaves = defined_leaves(element);
  const auto first = static_cast<size_t>(argument.first());
  if (leaves.size() != static_cast<size_t>(argument.count())) return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!(leaves[i].spec() == specs[first + i])) return false;
    arguments[first + i] = leaves[i];
  }
  return true;
}

}  // namespace

Tensors step_arguments(DatasetHost& datasets, const Closure& closure, const std::string& bytes,
                       const std::vector<TensorSpec>& specs) {
  if (closure.elements().empty()) return split_bytes(bytes, specs);
  std::vector<std::pair<uint64_t, Nest>> drawn;
  Tensors arguments(specs.size());
  bool fits = true;
  for (const ElementArgument& argument : closure.elements()) {
    const int64_t end = int64_t{argument.first()} + argument.count();
    if (argument.first() < 0 || argument.count() < 0 || end > static_cast<int64_t>(specs.size()))
      throw ValueError("An element of a data set is not an argument of the program.");
    drawn.emplace_back(argument.iterator(), datasets.next(argument.iterator()));
    fits = place(drawn.back().second, argument, specs, arguments) && fits;
  }
  if (!fits) {
    UnexpectedElements unexpected;
    for (const auto& [iterator, element] : drawn) {
      NextElement& next = unexpected.elements.emplace_back();
      next.set_iterator(iterator);
      encode(element, *next.mutable_element());
    }
    std::reverse(drawn.begin(), drawn.end());
    for (auto& [iterator, element] : drawn) datasets.put_back(iterator, std::move(element));
    throw unexpected;
  }
  std::vector<TensorSpec> others;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!arguments[i].defined()) others.push_back(specs[i]);
  }
  const Tensors values = split_bytes(bytes, others);
  size_t next = 0;
  for (Tensor& argument : arguments) {
    if (!argument.defined()) argument = values[next++];
  }
  return arguments;
}

}  // namespace antler::cluster
