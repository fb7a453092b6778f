#include "saving/export/lowering.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/strings.h"

namespace antler::saving {
namespace {

using Ints = std::vector<int64_t>;

/// The maximum number of nodes of an unrolled loop.
constexpr int64_t kMaxUnrolled = 200'000;

bool is_identity(const Ints& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end());
}

/// The axes in neither `a` nor `b`.
Ints other_axes(int64_t rank, const Ints& a, const Ints& b) {
  Ints rest;
  for (int64_t i = 0; i < rank; ++i) {
    const bool used =
        std::find(a.begin(), a.end(), i) != a.end() || std::find(b.begin(), b.end(), i) != b.end();
    if (!used) rest.push_back(i);
  }
  return rest;
}

/// The product of some dimensions.
Dim product(const Dims& dims, const Ints& axes) {
  Dim result{1, 0};
  for (const int64_t axis : axes) {
    const Dim& d = dims[static_cast<size_t>(axis)];
    if (d.is_dynamic() && result.is_dynamic()) {
      throw NotImplementedError(
          "A dimension is a power of the batch size. Export the model for one size: set "
          "`batch_size`.");
    }
    result.per_batch = d.is_dynamic()        ? result.size * d.per_batch
                       : result.is_dynamic() ? result.per_batch * d.size
                                             : 0;
    result.size *= d.size;
  }
  return result;
}

class Lowering {
 public:
  Lowering(const BatchGraph& batch, GraphSink& sink)
      : batch_(batch), graph_(batch.graph()), sink_(sink) {
    for (const ir::Node& n : graph_.nodes) {
      for (const ir::ValueId input : n.inputs) users_[input].push_back(&n);
    }
    const std::vector<ir::ValueId> results = graph_.results();
    results_.insert(results.begin(), results.end());
  }

  void set(ir::ValueId value, SinkValue name) { names_[value] = std::move(name); }
  const SinkValue& get(ir::ValueId value) const { return names_.at(value); }

  void run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) node(i);
  }

 private:
  void node(size_t index) {
    const ir::Node& n = graph_.nodes[index];
    if (std::string_view(n.op->name) == "scan") return scan(index);
    if (n.outputs.size() != 1) unsupported(n);
    set(n.outputs[0], value_of(index, n));
  }

  [[noreturn]] static void unsupported(const ir::Node& n) {
    throw NotImplementedError("The op `{}` of the model cannot be exported.", n.op->name);
  }

  SinkValue value_of(size_t index, const ir::Node& n) {
    const std::string_view op = n.op->name;
    const auto in = [&](size_t i) -> const SinkValue& { return get(n.inputs[i]); };
    if (op == "constant") return constant(index, n);
    if (op == "iota") return iota(index, n);
    if (op == "select") return sink_.select(in(0), in(1), in(2));
    if (op == "convert") return sink_.cast(in(0), n.attrs.dtype("dtype"));
    if (op == "softplus") return sink_.unary(op, in(0));
    if (op == "host_map" && ops::is_as_string(n.attrs.integer("function"))) {
      return sink_.as_string(in(0));
    }
    if (n.op->op_class == ir::OpClass::elementwise) {
      if (op == "bitcast") unsupported(n);
      if (n.inputs.size() == 1) return sink_.unary(op, in(0));
      if (n.inputs.size() == 2) return sink_.binary(op, in(0), in(1));
    }
    if (op == "reshape") return reshape(n.inputs[0], batch_.dims(n.outputs[0]));
    if (op == "broadcast") return broadcast(index, n);
    if (op == "transpose") return sink_.transpose(in(0), n.attrs.ints("perm"));
    if (n.op->op_class == ir::OpClass::reduce) {
      return sink_.reduce(op, in(0), n.attrs.ints("axes"));
    }
    if (op == "argmax" || op == "argmin") {
      return sink_.arg_extremum(op, in(0), n.attrs.integer("axis"),
                                graph_.spec(n.outputs[0]).dtype);
    }
    if (op == "dot_general") return dot(n);
    if (op == "conv") return conv(n);
    if (op == "conv_input_grad") return conv_transpose(n);
    if (op == "reduce_window") return pool(n);
    if (op == "concatenate") {
      std::vector<SinkValue> xs;
      for (size_t i = 0; i < n.inputs.size(); ++i) xs.push_back(in(i));
      return sink_.concatenate(xs, n.attrs.integer("axis"));
    }
    if (op == "slice") return slice(index, n);
    if (op == "reverse") return sink_.reverse(in(0), n.attrs.ints("axes"));
    if (op == "pad") return pad(index, n);
    if (op == "gather") return sink_.gather(in(0), in(1), n.attrs.integer("axis"));
    if (op == "softmax" || op == "log_softmax") {
      return sink_.softmax(op, in(0), n.attrs.integer("axis"),
                           graph_.spec(n.inputs[0]).shape.rank());
    }
    if (op == "cumsum") {
      return sink_.cumsum(in(0), n.attrs.integer("axis"), n.attrs.flag("exclusive"),
                          n.attrs.flag("reverse"));
    }
    unsupported(n);
  }

  SinkValue reshape(ir::ValueId x, const Dims& dims) {
    return batch_.dims(x) == dims ? get(x) : sink_.reshape(get(x), dims);
  }

  SinkValue reshape(const SinkValue& x, const Dims& from, const Dims& to) {
    return from == to ? x : sink_.reshape(x, to);
  }

  SinkValue constant(size_t index, const ir::Node& n) {
    const BatchConstant constant = batch_.constant(index);
    SinkValue value = sink_.constant(constant.value);
    if (constant.batch_power != 0) {
      value = sink_.binary(constant.batch_power > 0 ? "mul" : "div", value,
                           sink_.batch_size(value.dtype));
    }
    const Dims to = batch_.dims(n.outputs[0]);
    const bool grows =
        std::any_of(to.begin(), to.end(), [](const Dim& d) { return d.is_dynamic(); });
    return grows ? expand(n.outputs[0], value, to) : value;
  }

  /// Broadcasts `x` to the dimensions of `result`, unless all users do so themselves: element-wise
  /// operations of both formats broadcast axes of size 1 if another operand has the full shape.
  SinkValue expand(ir::ValueId result, const SinkValue& x, const Dims& to) {
    if (results_.contains(result)) return sink_.expand(x, to);
    for (const ir::Node* user : users_[result]) {
      const bool repeats =
          user->op->op_class == ir::OpClass::elementwise && user->inputs.size() > 1;
      const bool has_whole = std::ranges::any_of(user->inputs, [&](ir::ValueId operand) {
        return operand != result && !small_.contains(operand);
      });
      if (!repeats || !has_whole) return sink_.expand(x, to);
    }
    small_.insert(result);
    return x;
  }

  SinkValue iota(size_t index, const ir::Node& n) {
    const Dims all = batch_.attr(index, "shape");
    const auto axis = static_cast<size_t>(n.attrs.integer("axis"));
    Dims line(all.size(), {1, 0});
    line[axis] = all[axis];
    SinkValue counted;
    if (all[axis].is_dynamic()) {
      const SinkValue one =
          sink_.constant(Tensor::full(DType::int64, Shape(Ints(all.size(), 1)), 1));
      counted = sink_.cumsum(sink_.expand(one, line), static_cast<int64_t>(axis),
                             /*exclusive=*/true, /*reverse=*/false);
    } else {
      Ints sizes(all.size(), 1);
      sizes[axis] = all[axis].size;
      std::vector<int64_t> numbers(static_cast<size_t>(all[axis].size));
      std::iota(numbers.begin(), numbers.end(), 0);
      counted = sink_.constant(Tensor::of(numbers, Shape(sizes)));
    }
    counted = sink_.cast(counted, n.attrs.dtype("dtype"));
    return all == line ? counted : expand(n.outputs[0], counted, all);
  }

  SinkValue broadcast(size_t index, const ir::Node& n) {
    const Dims to = batch_.attr(index, "shape");
    const Dims from = batch_.dims(n.inputs[0]);
    const Ints& places = n.attrs.ints("dims");
    Dims aligned(to.size(), {1, 0});
    for (size_t i = 0; i < from.size(); ++i) aligned[static_cast<size_t>(places[i])] = from[i];
    const SinkValue x = reshape(get(n.inputs[0]), from, aligned);
    return aligned == to ? x : expand(n.outputs[0], x, to);
  }

  /// `x` with its axes in `order`, reshaped to `dims`.
  SinkValue arranged(ir::ValueId x, const Ints& order, const Dims& dims) {
    const SinkValue moved = is_identity(order) ? get(x) : sink_.transpose(get(x), order);
    Dims now;
    const Dims before = batch_.dims(x);
    for (const int64_t axis : order) now.push_back(before[static_cast<size_t>(axis)]);
    return reshape(moved, now, dims);
  }

  SinkValue dot(const ir::Node& n) {
    const Ints& lc = n.attrs.ints("lhs_contract");
    const Ints& rc = n.attrs.ints("rhs_contract");
    const Ints& lb = n.attrs.ints("lhs_batch");
    const Ints& rb = n.attrs.ints("rhs_batch");
    const Dims x = batch_.dims(n.inputs[0]);
    const Dims y = batch_.dims(n.inputs[1]);
    const Ints lf = other_axes(static_cast<int64_t>(x.size()), lc, lb);
    const Ints rf = other_axes(static_cast<int64_t>(y.size()), rc, rb);
    Dims left;
    Dims right;
    Dims result;
    for (size_t i = 0; i < lb.size(); ++i) {
      left.push_back(x[static_cast<size_t>(lb[i])]);
      right.push_back(y[static_cast<size_t>(rb[i])]);
      result.push_back(left.back());
    }
    left.push_back(product(x, lf));
    left.push_back(product(x, lc));
    right.push_back(product(y, rc));
    right.push_back(product(y, rf));
    result.push_back(product(x, lf));
    result.push_back(product(y, rf));
    const SinkValue out = sink_.matmul(arranged(n.inputs[0], concatenated({lb, lf, lc}), left),
                                       arranged(n.inputs[1], concatenated({rb, rc, rf}), right));
    return reshape(out, result, batch_.dims(n.outputs[0]));
  }

  static WindowSpec window_of(const ir::Node& n) {
    return {.window = {},
            .strides = n.attrs.ints("strides"),
            .dilations = n.attrs.ints("rhs_dilation"),
            .pad_low = n.attrs.ints("pad_low"),
            .pad_high = n.attrs.ints("pad_high"),
            .groups = n.attrs.integer("groups")};
  }

  static void require_undilated_input(const ir::Node& n) {
    for (const int64_t d : n.attrs.ints("lhs_dilation")) {
      if (d != 1) unsupported(n);
    }
  }

  SinkValue conv(const ir::Node& n) {
    WindowSpec window = window_of(n);
    const SinkValue x = spread(n);
    // The gradient of a convolution can have negative padding, which neither format has.
    const auto cuts = [](const Ints& pads) {
      return std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p < 0; });
    };
    if (cuts(window.pad_low) || cuts(window.pad_high)) unsupported(n);
    return sink_.conv(x, get(n.inputs[1]), window);
  }

  /// The input of a convolution with `lhs_dilation` - 1 zeros between its elements along each
  /// spatial axis: each element is followed by zeros, and those after the last are cut off.
  SinkValue spread(const ir::Node& n) {
    const Ints& dilation = n.attrs.ints("lhs_dilation");
    const SinkValue& x = get(n.inputs[0]);
    if (std::all_of(dilation.begin(), dilation.end(), [](int64_t d) { return d == 1; })) return x;
    const Dims dims = batch_.dims(n.inputs[0]);
    Dims rows = {dims[0]};
    Dims spread = {dims[0]};
    Ints high = {0};
    std::vector<std::optional<int64_t>> ends(1);
    for (size_t i = 0; i < dilation.size(); ++i) {
      const int64_t size = dims[i + 1].size;
      rows.push_back({size, 0});
      rows.push_back({1, 0});
      high.push_back(0);
      high.push_back(dilation[i] - 1);
      spread.push_back({size * dilation[i], 0});
      ends.emplace_back((size - 1) * dilation[i] + 1);
    }
    rows.push_back(dims.back());
    spread.push_back(dims.back());
    high.push_back(0);
    ends.emplace_back(std::nullopt);
    const SinkValue zero = sink_.constant(Tensor::zeros(x.dtype, {}));
    const SinkValue padded = sink_.pad(sink_.reshape(x, rows), Ints(rows.size(), 0), high, zero);
    return sink_.slice(sink_.reshape(padded, spread), Ints(dims.size(), 0), ends,
                       Ints(dims.size(), 1));
  }

  SinkValue conv_transpose(const ir::Node& n) {
    require_undilated_input(n);
    return sink_.conv_transpose(get(n.inputs[0]), get(n.inputs[1]), window_of(n),
                                batch_.dims(n.outputs[0]));
  }

  SinkValue pool(const ir::Node& n) {
    const std::string& op = n.attrs.string("op");
    if (op != "max" && op != "sum") unsupported(n);
    const auto inner = [&](const char* name, int64_t neutral) {
      const Ints& all = n.attrs.ints(name);
      if (all.size() < 3 || all.front() != neutral || all.back() != neutral) unsupported(n);
      return Ints(all.begin() + 1, all.end() - 1);
    };
    return sink_.pool(op, get(n.inputs[0]),
                      {.window = inner("window", 1),
                       .strides = inner("strides", 1),
                       .dilations = inner("dilations", 1),
                       .pad_low = inner("pad_low", 0),
                       .pad_high = inner("pad_high", 0)});
  }

  SinkValue slice(size_t index, const ir::Node& n) {
    const Dims from = batch_.dims(n.inputs[0]);
    const Dims limits = batch_.attr(index, "limits");
    std::vector<std::optional<int64_t>> ends;
    for (size_t i = 0; i < limits.size(); ++i) {
      if (limits[i] == from[i]) {
        ends.emplace_back(std::nullopt);
      } else if (!limits[i].is_dynamic()) {
        ends.emplace_back(limits[i].size);
      } else {
        unsupported(n);
      }
    }
    return sink_.slice(get(n.inputs[0]), batch_.fixed_attr(index, "starts"), ends,
                       n.attrs.ints("strides"));
  }

  SinkValue pad(size_t index, const ir::Node& n) {
    for (const int64_t d : n.attrs.ints("interior")) {
      if (d != 0) unsupported(n);
    }
    Ints low = batch_.fixed_attr(index, "low");
    Ints high = batch_.fixed_attr(index, "high");
    SinkValue x = get(n.inputs[0]);
    // Negative padding crops.
    Ints starts(low.size(), 0);
    std::vector<std::optional<int64_t>> ends(low.size());
    const Dims from = batch_.dims(n.inputs[0]);
    bool cuts = false;
    for (size_t i = 0; i < low.size(); ++i) {
      if (low[i] < 0) starts[i] = -std::exchange(low[i], 0);
      if (high[i] < 0) {
        if (from[i].is_dynamic()) unsupported(n);
        ends[i] = from[i].size + std::exchange(high[i], 0);
      }
      cuts = cuts || starts[i] > 0 || ends[i].has_value();
    }
    if (cuts) x = sink_.slice(x, starts, ends, Ints(low.size(), 1));
    return sink_.pad(x, low, high, get(n.inputs[1]));
  }

  /// Unrolls a loop.
  void scan(size_t index) {
    const ir::Node& n = graph_.nodes[index];
    const auto carries = static_cast<size_t>(n.attrs.integer("num_carry"));
    const auto xs = static_cast<size_t>(n.attrs.integer("num_xs"));
    const int64_t length = n.attrs.integer("length");
    const bool backwards = n.attrs.flag("reverse");
    const BatchGraph body = batch_.region(index, 0);
    if (length < 1 || length * static_cast<int64_t>(body.graph().nodes.size()) > kMaxUnrolled) {
      unsupported(n);
    }
    const ir::Graph& region = body.graph();
    std::vector<SinkValue> carry;
    for (size_t i = 0; i < carries; ++i) carry.push_back(get(n.inputs[i]));
    std::vector<std::vector<SinkValue>> stacked(region.outputs.size() - carries);
    for (int64_t step = 0; step < length; ++step) {
      const int64_t at = backwards ? length - 1 - step : step;
      Lowering inner(body, sink_);
      for (size_t i = 0; i < n.inputs.size(); ++i) {
        const bool is_x = i >= carries && i < carries + xs;
        inner.set(region.inputs[i], i < carries ? carry[i]
                                    : is_x      ? item(n.inputs[i], at)
                                                : get(n.inputs[i]));
      }
      inner.run();
      for (size_t i = 0; i < region.outputs.size(); ++i) {
        const SinkValue& result = inner.get(region.outputs[i]);
        if (i < carries) {
          carry[i] = result;
        } else {
          Dims row = body.dims(region.outputs[i]);
          row.insert(row.begin(), {1, 0});
          stacked[i - carries].push_back(sink_.reshape(result, row));
        }
      }
    }
    for (size_t i = 0; i < carries; ++i) set(n.outputs[i], carry[i]);
    for (size_t i = 0; i < stacked.size(); ++i) {
      if (backwards) std::reverse(stacked[i].begin(), stacked[i].end());
      set(n.outputs[carries + i], sink_.concatenate(stacked[i], 0));
    }
  }

  /// Element `at` along axis 0.
  SinkValue item(ir::ValueId x, int64_t at) {
    const Dims dims = batch_.dims(x);
    Ints starts(dims.size(), 0);
    std::vector<std::optional<int64_t>> ends(dims.size());
    starts[0] = at;
    ends[0] = at + 1;
    const SinkValue row = sink_.slice(get(x), starts, ends, Ints(dims.size(), 1));
    return sink_.reshape(row, Dims(dims.begin() + 1, dims.end()));
  }

  const BatchGraph& batch_;
  const ir::Graph& graph_;
  GraphSink& sink_;
  std::unordered_map<ir::ValueId, SinkValue> names_;
  std::unordered_map<ir::ValueId, std::vector<const ir::Node*>> users_;
  std::unordered_set<ir::ValueId> results_;  ///< outputs and new values of variables
  std::unordered_set<ir::ValueId> small_;    ///< values whose users broadcast them, see expand()
};

}  // namespace

void lower(const BatchGraph& graph, const std::vector<std::string>& input_names,
           const std::vector<std::string>& output_names, GraphSink& sink) {
  const ir::Graph& g = graph.graph();
  Lowering lowering(graph, sink);
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    lowering.set(g.inputs[i],
                 sink.input(input_names[i], g.spec(g.inputs[i]).dtype, graph.dims(g.inputs[i])));
  }
  for (const ir::StateSlot& slot : g.states) {
    if (slot.input >= 0) lowering.set(slot.input, sink.variable(slot.variable));
  }
  lowering.run();
  for (size_t i = 0; i < g.outputs.size(); ++i) {
    sink.output(output_names[i], lowering.get(g.outputs[i]), graph.dims(g.outputs[i]));
  }
  for (const ir::StateSlot& slot : g.states) {
    if (slot.output >= 0) sink.assign(slot.variable, lowering.get(slot.output));
  }
}

}  // namespace antler::saving
