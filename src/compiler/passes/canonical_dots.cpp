#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "compiler/passes/dot_dims.h"
#include "compiler/passes/passes.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

Ints free_dims(const Ints& contract, const Ints& batch, int rank) {
  Ints free;
  for (int64_t d = 0; d < rank; ++d) {
    const auto in = [&](const Ints& list) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    if (!in(contract) && !in(batch)) free.push_back(d);
  }
  return free;
}

/// Folds a transpose of the operand into the dimension lists. False if that would change the order
/// of the free dimensions.
bool fold_transpose(const ir::Node* definition, ValueId& operand, Ints& contract, Ints& batch,
                    Ints& free) {
  if (definition == nullptr || kind_of(*definition) != OpKind::transpose) return false;
  const Ints& perm = definition->attrs.ints("perm");
  const auto mapped = [&](const Ints& dims) {
    Ints result;
    for (int64_t d : dims) result.push_back(perm[static_cast<size_t>(d)]);
    return result;
  };
  const Ints new_free = mapped(free);
  if (!std::is_sorted(new_free.begin(), new_free.end())) return false;
  contract = mapped(contract);
  batch = mapped(batch);
  free = new_free;
  operand = definition->inputs[0];
  return true;
}

bool is_run(const Ints& dims) {
  for (size_t i = 1; i < dims.size(); ++i) {
    if (dims[i] != dims[i - 1] + 1) return false;
  }
  return true;
}

/// One operand with every run of dimensions merged into one.
struct Merged {
  Shape shape;
  Ints contract, batch;
};

std::optional<Merged> merge_runs(const Shape& shape, const Ints& contract, const Ints& batch,
                                 const Ints& free) {
  if (!is_run(contract) || !is_run(batch) || !is_run(free)) return {};
  struct Group {
    const Ints* dims;
    Ints* list;
  };
  Merged merged;
  Group groups[] = {{&contract, &merged.contract}, {&batch, &merged.batch}, {&free, nullptr}};
  std::sort(std::begin(groups), std::end(groups), [](const Group& a, const Group& b) {
    return (a.dims->empty() ? -1 : a.dims->front()) < (b.dims->empty() ? -1 : b.dims->front());
  });
  for (const Group& group : groups) {
    if (group.dims->empty()) continue;
    if (group.list != nullptr) group.list->push_back(merged.shape.rank());
    merged.shape.push_back(product_of(shape, *group.dims));
  }
  return merged;
}

/// A product with the transposes of some operands folded into its lists.
struct Product {
  ValueId x;
  ValueId y;
  DotLists lists;

  Product(Rewriter& to, const ir::Node& node, bool fold_x, bool fold_y)
      : x(to.map(node.inputs[0])),
        y(to.map(node.inputs[1])),
        lists(node.attrs, to.shape(x).rank(), to.shape(y).rank()) {
    while (fold_x && fold_transpose(to.graph().definition(x), x, lists.lhs_contract,
                                    lists.lhs_batch, lists.lhs_free)) {
    }
    while (fold_y && fold_transpose(to.graph().definition(y), y, lists.rhs_contract,
                                    lists.rhs_batch, lists.rhs_free)) {
    }
    sort_contracted();
  }

  /// Whether both operands hold the contracted dimensions in the same order; otherwise a kernel
  /// would have to copy one of them.
  bool in_order() const { return is_run(lists.lhs_contract) && is_run(lists.rhs_contract); }

 private:
  void sort_contracted() {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i < lists.lhs_contract.size(); ++i) {
      pairs.emplace_back(lists.lhs_contract[i], lists.rhs_contract[i]);
    }
    std::sort(pairs.begin(), pairs.end());
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::tie(lists.lhs_contract[i], lists.rhs_contract[i]) = pairs[i];
    }
  }
};

/// Folds every transpose, unless that puts the contracted dimensions in different orders. Then one
/// operand keeps its transpose, whose result is often in memory anyway.
Product folded(Rewriter& to, const ir::Node& node) {
  Product all(to, node, true, true);
  if (all.in_order()) return all;
  for (const bool keep_x : {true, false}) {
    Product some(to, node, !keep_x, keep_x);
    if (some.in_order()) return some;
  }
  return all;
}

ValueId rewrite(Rewriter& to, const ir::Node& node) {
  const auto [x, y, lists] = folded(to, node);
  const ir::OpDef& dot = *node.op;
  const Shape xs = to.shape(x);
  const Shape ys = to.shape(y);
  const auto a = merge_runs(xs, lists.lhs_contract, lists.lhs_batch, lists.lhs_free);
  const auto b = merge_runs(ys, lists.rhs_contract, lists.rhs_batch, lists.rhs_free);
  const bool merges = a && b && (!(a->shape == xs) || !(b->shape == ys));
  if (!merges) return to.add(dot, {x, y}, lists.attrs())[0];
  Shape out;
  for (int64_t d : lists.lhs_batch) out.push_back(xs[static_cast<int>(d)]);
  for (int64_t d : lists.lhs_free) out.push_back(xs[static_cast<int>(d)]);
  for (int64_t d : lists.rhs_free) out.push_back(ys[static_cast<int>(d)]);
  const ValueId product = to.add(dot, {add_reshape(to, x, a->shape), add_reshape(to, y, b->shape)},
                                 {{"lhs_contract", a->contract},
                                  {"rhs_contract", b->contract},
                                  {"lhs_batch", a->batch},
                                  {"rhs_batch", b->batch}})[0];
  return add_reshape(to, product, out);
}

}  // namespace

DotLists::DotLists(const ir::Attrs& attrs, int lhs_rank, int rhs_rank)
    : lhs_contract(attrs.ints("lhs_contract")),
      rhs_contract(attrs.ints("rhs_contract")),
      lhs_batch(attrs.ints("lhs_batch")),
      rhs_batch(attrs.ints("rhs_batch")),
      lhs_free(free_dims(lhs_contract, lhs_batch, lhs_rank)),
      rhs_free(free_dims(rhs_contract, rhs_batch, rhs_rank)) {}

ir::Attrs DotLists::attrs() const {
  return {{"lhs_contract", lhs_contract},
          {"rhs_contract", rhs_contract},
          {"lhs_batch", lhs_batch},
          {"rhs_batch", rhs_batch}};
}

int64_t product_of(const Shape& shape, const Ints& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= shape[static_cast<int>(d)];
  return n;
}

ir::Graph canonical_dots(const ir::Graph& graph, const CompileOptions&) {
  Rewriter to(graph);
  for (const ir::Node& node : graph.nodes) {
    const ir::OriginScope origin(node.origin);
    if (kind_of(node) == OpKind::dot_general) {
      to.replace(node.outputs[0], rewrite(to, node));
    } else {
      to.copy(node);
    }
  }
  return ir::prune(to.finish());
}

}  // namespace antler::compiler
