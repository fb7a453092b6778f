#include "compiler/index_form.h"

#include <cstdlib>

#include "compiler/op_kind.h"

namespace antler::compiler {
namespace {

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// The variable that runs past the end of a dimension with `stride`, and the size to split it at.
SplitNeeded find_split(const IndexForm& form, int64_t stride, const std::vector<int64_t>& extents) {
  for (size_t v = 0; v < form.factors.size(); ++v) {
    const int64_t step = std::abs(form.factors[v]);
    if (step == 0 || step >= stride || step * extents[v] <= stride) continue;
    const int64_t inner = stride / step;
    if (stride % step == 0 && extents[v] % inner == 0) return {static_cast<int>(v), inner};
  }
  return {};
}

void accumulate(IndexForm& sum, const IndexForm& term, int64_t factor) {
  sum.constant += term.constant * factor;
  for (size_t v = 0; v < term.factors.size(); ++v) sum.factors[v] += term.factors[v] * factor;
}

}  // namespace

std::optional<std::vector<IndexForm>> delinearize(const IndexForm& linear, const Shape& shape,
                                                  const std::vector<int64_t>& extents,
                                                  SplitNeeded& problem) {
  const std::vector<int64_t> strides = shape.strides();
  std::vector<IndexForm> dims(strides.size());
  IndexForm rest = linear;
  for (size_t d = 0; d < strides.size(); ++d) {
    IndexForm& dim = dims[d];
    dim.factors.assign(rest.factors.size(), 0);
    const int64_t stride = strides[d];
    if (shape.dims()[d] == 1) continue;
    if (stride == 1) {
      dim = rest;
      rest = {0, std::vector<int64_t>(dim.factors.size(), 0)};
      continue;
    }
    int64_t lowest = 0;
    int64_t highest = 0;
    for (size_t v = 0; v < rest.factors.size(); ++v) {
      const int64_t f = rest.factors[v];
      if (std::abs(f) >= stride) {
        if (f % stride != 0) {
          problem = {};
          return {};
        }
        dim.factors[v] = f / stride;
        rest.factors[v] = 0;
      } else {
        (f < 0 ? lowest : highest) += f * (extents[v] - 1);
      }
    }
    dim.constant = floor_div(rest.constant + lowest, stride);
    if (floor_div(rest.constant + highest, stride) != dim.constant) {
      problem = find_split(linear, stride, extents);
      return {};
    }
    rest.constant -= dim.constant * stride;
  }
  return dims;
}

std::optional<IndexForm> through_view(const ir::Graph& graph, const ir::Node& node,
                                      const IndexForm& linear, const std::vector<int64_t>& extents,
                                      SplitNeeded& problem) {
  const OpKind kind = kind_of(node);
  if (kind == OpKind::reshape) return linear;
  const Shape& in = graph.spec(node.inputs[0]).shape;
  const Shape& out = graph.spec(node.outputs[0]).shape;
  IndexForm result{0, std::vector<int64_t>(linear.factors.size(), 0)};
  if (in.num_elements() == 1) return result;
  const auto dims = delinearize(linear, out, extents, problem);
  if (!dims) return {};
  const std::vector<int64_t> strides = in.strides();
  const auto axis = [](int64_t a) { return static_cast<size_t>(a); };
  switch (kind) {
    case OpKind::broadcast: {
      const ir::Ints& targets = node.attrs.ints("dims");
      for (size_t i = 0; i < targets.size(); ++i) {
        if (in.dims()[i] != 1) accumulate(result, (*dims)[axis(targets[i])], strides[i]);
      }
      break;
    }
    case OpKind::transpose: {
      const ir::Ints& perm = node.attrs.ints("perm");
      for (size_t i = 0; i < perm.size(); ++i)
        accumulate(result, (*dims)[i], strides[axis(perm[i])]);
      break;
    }
    case OpKind::slice: {
      const ir::Ints& starts = node.attrs.ints("starts");
      const ir::Ints& steps = node.attrs.ints("strides");
      for (size_t i = 0; i < starts.size(); ++i) {
        accumulate(result, (*dims)[i], strides[i] * steps[i]);
        result.constant += strides[i] * starts[i];
      }
      break;
    }
    case OpKind::reverse: {
      std::vector<char> reversed(strides.size(), 0);
      for (int64_t a : node.attrs.ints("axes")) reversed[axis(a)] = 1;
      for (size_t i = 0; i < strides.size(); ++i) {
        accumulate(result, (*dims)[i], reversed[i] != 0 ? -strides[i] : strides[i]);
        if (reversed[i] != 0) result.constant += strides[i] * (in.dims()[i] - 1);
      }
      break;
    }
    default:
      problem = {};
      return {};
  }
  return result;
}

}  // namespace antler::compiler
