#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/vjp.h"

namespace antler::ops {
namespace {

/// Records the ops that this thread emits during its lifetime and differentiates them in reverse
/// order. Other observers see the same ops, so gradients can be differentiated again.
class Recorder final : public ir::OpObserver {
 public:
  Recorder() { ir::add_op_observer(this); }
  ~Recorder() override { stop(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void on_op(const ir::OpDef& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
             const ir::Attrs& attrs, const ir::Regions& regions) override {
    records_.push_back(
        {&op, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}, attrs, regions});
  }

  /// Gradients of `inputs`, given those of `outputs`. Ends the recording.
  Tensors backward(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                   std::span<const Tensor> output_grads) {
    stop();
    std::unordered_map<uint64_t, Tensor> grads;  // tensor id -> sum so far
    const auto accumulate = [&](const Tensor& of, const Tensor& grad) {
      if (!grad.defined()) return;
      Tensor& sum = grads[of.id()];
      sum = sum.defined() ? add(sum, grad) : grad;
    };
    for (size_t i = 0; i < outputs.size(); ++i) accumulate(outputs[i], output_grads[i]);

    const std::vector<char> active = activity(inputs);
    for (size_t r = records_.size(); r-- > 0;) {
      if (active[r] == 0) continue;
      const Record& record = records_[r];
      Tensors of_outputs;
      bool any = false;
      for (const Tensor& t : record.outputs) {
        const auto it = grads.find(t.id());
        of_outputs.push_back(it == grads.end() ? Tensor() : it->second);
        any = any || of_outputs.back().defined();
      }
      if (!any) continue;
      const Tensors of_inputs = vjp_of_op(
          *record.op, {record.inputs, record.outputs, of_outputs, record.attrs, record.regions});
      for (size_t i = 0; i < record.inputs.size(); ++i) accumulate(record.inputs[i], of_inputs[i]);
    }

    Tensors result;
    std::unordered_set<uint64_t> given;
    for (const Tensor& t : inputs) {
      // If the same tensor is given for two inputs, only the first one gets the gradient, so that
      // the sum over both is right.
      const auto it = given.insert(t.id()).second ? grads.find(t.id()) : grads.end();
      result.push_back(it == grads.end() ? Tensor() : it->second);
    }
    return result;
  }

 private:
  struct Record {
    const ir::OpDef* op;
    Tensors inputs;
    Tensors outputs;
    ir::Attrs attrs;
    ir::Regions regions;
  };

  void stop() {
    if (recording_) ir::remove_op_observer(this);
    recording_ = false;
  }

  /// Marks the records on a differentiable path from `inputs`.
  std::vector<char> activity(std::span<const Tensor> inputs) const {
    std::unordered_set<uint64_t> live;
    for (const Tensor& t : inputs) {
      if (is_floating(t.dtype())) live.insert(t.id());
    }
    std::vector<char> active(records_.size(), 0);
    for (size_t r = 0; r < records_.size(); ++r) {
      if (records_[r].op->no_gradient) continue;
      for (const Tensor& t : records_[r].inputs) {
        if (live.contains(t.id())) active[r] = 1;
      }
      if (active[r] == 0) continue;
      for (const Tensor& t : records_[r].outputs) {
        if (is_floating(t.dtype())) live.insert(t.id());
      }
    }
    return active;
  }

  bool recording_ = true;
  std::vector<Record> records_;
};

}  // namespace

Tensors vjp_of_op(const ir::OpDef& op, const ir::VjpArgs& args) {
  if (op.no_gradient) return Tensors(args.inputs.size());
  if (op.vjp != nullptr) return op.vjp(args);
  if (op.decompose == nullptr) {
    throw NotImplementedError(
        "The operation `{}` has no gradient. Use ops::stop_gradient if no gradient should flow "
        "through it.",
        op.name);
  }
  Recorder recorder;
  const Tensors outputs = op.decompose(args.inputs, args.attrs);
  return recorder.backward(args.inputs, outputs, args.grads);
}

Tensors inline_graph(const ir::Graph& graph, std::span<const Tensor> inputs) {
  if (inputs.size() != graph.inputs.size() || !graph.states.empty()) {
    throw InternalError(
        "inline_graph: expected {} inputs and no states, received {} inputs and {} states",
        graph.inputs.size(), inputs.size(), graph.states.size());
  }
  Tensors values(graph.values.size());
  const auto at = [&](ir::ValueId v) -> Tensor& { return values[static_cast<size_t>(v)]; };
  for (size_t i = 0; i < inputs.size(); ++i) at(graph.inputs[i]) = inputs[i];
  for (const ir::Node& node : graph.nodes) {
    if (node.op == &ir::kConstant) {  // a tracer creates the node when the literal is used
      at(node.outputs[0]) = node.attrs.get<Tensor>("value");
      continue;
    }
    Tensors operands;
    for (ir::ValueId v : node.inputs) operands.push_back(at(v));
    const Tensors results = ir::emit(*node.op, operands, node.attrs, node.regions);
    for (size_t i = 0; i < results.size(); ++i) at(node.outputs[i]) = results[i];
  }
  Tensors outputs;
  for (ir::ValueId v : graph.outputs) outputs.push_back(at(v));
  return outputs;
}

Tensors vjp_of_graph(const ir::Graph& graph, std::span<const Tensor> inputs,
                     std::span<const Tensor> output_grads) {
  Recorder recorder;
  const Tensors outputs = inline_graph(graph, inputs);
  return recorder.backward(inputs, outputs, output_grads);
}

}  // namespace antler::ops
