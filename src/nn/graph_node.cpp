// Records calls on placeholders.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/mask.h"
#include "base/scoped_value.h"
#include "base/throw_again.h"
#include "nn/guessed_shapes.h"
#include "nn/layer_state.h"
#include "nn/stand_ins.h"
#include "ops/stand_in_sizes.h"

namespace antler {
namespace {

/// Sizes that can stand in for unknown dimensions. They are primes, so that no product of other
/// sizes equals one of them.
constexpr std::array<int64_t, 8> kFills = {83, 89, 97, 101, 103, 107, 109, 113};
/// The stand-in of the current abstract trace of this thread; 0 outside of one.
thread_local int64_t t_fill = 0;

/// The first two that no known dimension equals; the last two if all are taken.
std::pair<int64_t, int64_t> free_fills(const std::vector<Shape>& shapes) {
  std::vector<int64_t> fills;
  for (const int64_t fill : kFills) {
    const auto has_fill = [&](const Shape& shape) {
      return std::find(shape.begin(), shape.end(), fill) != shape.end();
    };
    if (std::none_of(shapes.begin(), shapes.end(), has_fill)) fills.push_back(fill);
  }
  if (fills.size() < 2) fills.assign(kFills.end() - 2, kFills.end());
  return {fills[0], fills[1]};
}

Tensor make_placeholder(TensorSpec spec, PlaceholderSource source) {
  auto impl = std::make_shared<TensorImpl>();
  impl->dtype = spec.dtype;
  impl->shape = std::move(spec.shape);
  impl->placeholder = std::make_shared<PlaceholderSource>(std::move(source));
  impl->id = next_unique_id();
  return Tensor(std::move(impl));
}

/// `a` with None where `b`, the shape in a trace with another stand-in, differs.
Shape common_shape(Shape a, const Shape& b) {
  for (int d = 0; d < a.rank(); ++d) {
    if (a[d] != b[d]) a[d] = Shape::kUnknown;
  }
  return a;
}

Shape filled(Shape shape, int64_t fill) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == Shape::kUnknown) shape[i] = fill;
  }
  return shape;
}

/// `first` with None in place of each number that differs in `second`, which is the same message
/// from a trace with other sizes. Numbers at the end of a word ("dense_3") are kept. Returns
/// `first` if the messages also differ elsewhere.
std::string with_unknown_sizes(const std::string& first, const std::string& second) {
  const auto is = [](int (*kind)(int), char c) { return kind(static_cast<unsigned char>(c)) != 0; };
  const auto number = [&](const std::string& text, size_t at) {
    size_t end = at;
    while (end < text.size() && is(std::isdigit, text[end])) ++end;
    return text.substr(at, end - at);
  };
  std::string text;
  size_t i = 0;
  size_t k = 0;
  while (i < first.size() && k < second.size()) {
    if (is(std::isdigit, first[i]) && is(std::isdigit, second[k])) {
      const std::string one = number(first, i);
      const std::string other = number(second, k);
      const bool ends_word = i > 0 && (is(std::isalnum, first[i - 1]) || first[i - 1] == '_');
      text += one == other || ends_word ? one : "None";
      i += one.size();
      k += other.size();
    } else if (first[i] == second[k]) {
      text += first[i];
      ++i;
      ++k;
    } else {
      return first;
    }
  }
  return i == first.size() && k == second.size() ? text : first;
}

/// A call on placeholders, and the shapes that its tensors have in a trace.
struct AbstractCall {
  Layer& layer;
  const Nest& inputs;
  const CallOptions& options;
  std::vector<Shape> shapes;  ///< of the options' tensors, then of the inputs'
  /// Stand in for unknown dimensions in the two traces.
  std::pair<int64_t, int64_t> fills;

  AbstractCall(Layer& called, const Nest& given, const CallOptions& others)
      : layer(called), inputs(given), options(others) {
    for (const Tensor& x : options.leaves()) shapes.push_back(shape_of(x));
    for (const Tensor& x : inputs.flatten()) shapes.push_back(shape_of(x));
    fills = free_fills(shapes);
  }

  /// The outputs of a trace in which unknown dimensions have size `fill`.
  Nest trace(int64_t fill) const {
    const ir::TraceSuspension suspension;
    ir::Tracer tracer;
    const ScopedValue<int64_t> stand_in(t_fill, fill);
    size_t next = 0;
    const auto symbolic = [&](const Tensor& x) {
      const Shape& shape = shapes[next++];
      if (!x.is_placeholder()) return x;
      const Tensor value = tracer.input({x.dtype(), filled(shape, fill)});
      const Tensor mask = keras_mask(x);
      if (!mask.defined()) return value;
      return with_keras_mask(value, tracer.input({mask.dtype(), filled(mask.shape(), fill)}));
    };
    Tensors extra = options.leaves();
    for (Tensor& x : extra) x = symbolic(x);
    CallOptions call = options.with_leaves(extra);
    if (!call.training.given()) call.training = CallScope::training().value_or(false);
    Tensors leaves = inputs.flatten();
    for (Tensor& x : leaves) x = symbolic(x);
    Nest outputs = layer(inputs.pack(leaves), call);
    clear_losses(layer);  // the traced call is not a real one
    return outputs;
  }

 private:
  static Shape shape_of(const Tensor& x) { return x.defined() ? x.shape() : Shape(); }
};

/// The error message of the second trace; empty if it succeeds.
std::string error_of_second_trace(const AbstractCall& call) {
  try {
    call.trace(call.fills.second);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

/// The outputs of two traces with different sizes for the unknown dimensions.
struct TwoTraces {
  Nest first;
  Nest second;
};

/// Two traces in which reshapes need not fit. Nothing if there is another error, or if a reshape is
/// wrong for all unknown sizes.
std::optional<TwoTraces> traces_with_any_count(const AbstractCall& call) {
  try {
    ops::StandInSizes::Misfits misfits;
    const auto trace = [&](int64_t fill) {
      ops::StandInSizes sizes(fill);
      Nest outputs = call.trace(fill);
      misfits.merge(ops::StandInSizes::Misfits(sizes.misfits()));
      return std::pair(std::move(outputs), sizes.misfits().size());
    };
    auto [first, first_misfits] = trace(call.fills.first);
    auto [second, second_misfits] = trace(call.fills.second);
    if (misfits.size() != first_misfits + second_misfits) return std::nullopt;  // a common misfit
    return TwoTraces{std::move(first), std::move(second)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Two traces in which some unknown dimensions have known sizes of other tensors, which they must
/// equal: `Add()({Input({None, 4}), Input({3, 4})})`. Nothing if no guess fits.
std::optional<TwoTraces> traces_with_known_sizes(AbstractCall call) {
  for (std::vector<Shape>& guess : guessed_shapes(call.shapes, call.layer.weights())) {
    call.shapes = std::move(guess);
    try {
      return TwoTraces{call.trace(call.fills.first), call.trace(call.fills.second)};
    } catch (const Error&) {
      continue;
    }
  }
  return std::nullopt;
}

/// Two traces if a dimension is unknown; otherwise the same trace twice. Error messages show
/// unknown sizes as None.
TwoTraces traces_of(const AbstractCall& call, bool known) {
  try {
    Nest first = call.trace(call.fills.first);
    return {first, known ? first : call.trace(call.fills.second)};
  } catch (const Error& error) {
    if (known) throw;
    if (auto traces = traces_with_any_count(call)) return *std::move(traces);
    if (auto traces = traces_with_known_sizes(call)) return *std::move(traces);
    throw_again(error, with_unknown_sizes(error.what(), error_of_second_trace(call)));
  }
}

}  // namespace

Shape without_stand_ins(Shape shape) {
  for (int i = 0; t_fill != 0 && i + 1 < shape.rank(); ++i) {
    if (shape[i] == t_fill) shape[i] = Shape::kUnknown;
  }
  return shape;
}

const PlaceholderSource& placeholder_source(const Tensor& tensor) {
  if (!tensor.is_placeholder()) {
    throw TypeError(
        "Expected a placeholder of a functional model, made by Input() or a layer. Received: {}.",
        tensor.defined() ? tensor.str() : std::string("None"));
  }
  return *static_cast<const PlaceholderSource*>(tensor.impl()->placeholder.get());
}

Nest placeholders_of(const GraphNodePtr& node) {
  Tensors leaves;
  for (size_t i = 0; i < node->outputs.size(); ++i) {
    const Tensor output = make_placeholder(node->outputs[i], {node, static_cast<int>(i)});
    leaves.push_back(with_keras_mask(output, node->masks.empty() ? Tensor() : node->masks[i]));
  }
  return node->output_structure.pack(leaves);
}

Tensor placeholder_of(const GraphNodePtr& node) { return placeholders_of(node).tensor(); }

Nest abstract_call(Layer& layer, const Nest& inputs, const CallOptions& options) {
  Tensors leaves = inputs.flatten();
  for (const Tensor& t : options.leaves()) leaves.push_back(t);
  const bool known = std::all_of(leaves.begin(), leaves.end(), [](const Tensor& t) {
    return !t.defined() || t.shape().is_known();
  });
  const auto [first, second] = traces_of(AbstractCall(layer, inputs, options), known);
  Tensors outputs = first.flatten();
  const Tensors others = second.flatten();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) continue;
    const TensorSpec spec = outputs[i].spec();
    if (others.size() != outputs.size() || others[i].rank() != spec.shape.rank()) {
      throw ValueError(
          "Layer \"{}\": the number or the rank of the outputs depends on the size of unknown "
          "dimensions of the inputs. This is not possible in a functional model.",
          layer.name());
    }
    const Tensor mask = keras_mask(outputs[i]);
    const Tensor other_mask = keras_mask(others[i]);
    outputs[i] = make_placeholder({spec.dtype, common_shape(spec.shape, others[i].shape())}, {});
    if (!mask.defined() || !other_mask.defined() || mask.rank() != other_mask.rank()) continue;
    const Shape shape = common_shape(mask.shape(), other_mask.shape());
    outputs[i] = with_keras_mask(outputs[i], make_placeholder({mask.dtype(), shape}, {}));
  }
  return first.pack(outputs);
}

Nest record_call(const LayerPtr& layer, const Nest& inputs, const CallOptions& options) {
  Tensors leaves = inputs.flatten();
  for (const Tensor& x : options.leaves()) leaves.push_back(x);
  for (const Tensor& x : leaves) {
    if (x.is_traced()) {
      throw RuntimeError(
          "Layer \"{}\" was called on a placeholder of a functional model together with a tensor "
          "of a traced function.",
          layer->name());
    }
  }
  const Nest outputs = layer->compute_output_spec(inputs, options);
  auto node = std::make_shared<GraphNode>();
  node->layer = layer;
  node->inputs = inputs;
  node->options = options;
  Tensors specs = outputs.flatten();
  for (Tensor& t : specs) {
    if (!t.defined()) {
      throw ValueError(
          "Layer \"{}\" returned an undefined tensor. All outputs of a layer in a functional "
          "model must be defined.",
          layer->name());
    }
    node->outputs.push_back(t.spec());
    node->masks.push_back(keras_mask(t));
    t = Tensor();
  }
  node->output_structure = outputs.pack(specs);
  LayerInternals::state(*layer).nodes.push_back(node);
  return placeholders_of(node);
}

}  // namespace antler
