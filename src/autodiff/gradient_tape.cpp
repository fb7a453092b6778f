#include "antler/autodiff/gradient_tape.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/vjp.h"
#include "autodiff/recomputation.h"

// A tensor is *tracked* if a watched tensor influences it. Only ops with a tracked input are
// recorded, as *entries* in order of execution. gradient() visits the entries in reverse with a map
// from tensor id to the gradient so far. Entries keep their tensors alive, so ids are unique.

namespace antler {
namespace {

using Backward = std::function<Tensors(const Tensors&, const Tensors&, const Tensors&)>;

struct Entry {
  const ir::OpDef* op = nullptr;  // null: a custom gradient, given by `backward`
  Tensors inputs;
  Tensors outputs;
  ir::Attrs attrs;
  ir::Regions regions;
  std::shared_ptr<const Backward> backward;
  RematRangePtr range = {};  // set if the entry's values are recomputed; see Recomputation
  ir::Origin origin = ir::OriginScope::current();
};

/// Origins of the ops that compute gradients of layers: "gradients/model/dense".
class GradientOrigins {
 public:
  ir::Origin of(const ir::Origin& forward) {
    if (forward == nullptr) return nullptr;
    ir::Origin& origin = origins_[forward];
    if (origin == nullptr) origin = std::make_shared<const std::string>("gradients/" + *forward);
    return origin;
  }

 private:
  std::unordered_map<ir::Origin, ir::Origin> origins_;
};

}  // namespace

struct GradientTape::State final : ir::OpObserver, VariableReadObserver {
  GradientTapeOptions options;
  bool recording = true;
  bool used = false;
  std::vector<Entry> entries;
  std::unordered_set<uint64_t> tracked;
  Tensors watched;                              // keeps the ids in `tracked` alive
  std::unordered_map<uint64_t, Tensors> reads;  // variable id -> values read
  std::unordered_set<uint64_t> explicit_variables;
  Variables variables;

  void check_unused() const {
    if (!used || options.persistent) return;
    throw RuntimeError(
        "A non-persistent GradientTape can only be used to compute one set of gradients. Make it "
        "with {.persistent = true} to call gradient() more than once.");
  }

  /// While it exists, several gradients count as one use.
  class OneUse {
   public:
    explicit OneUse(State& state) : state_(state), persistent_(state.options.persistent) {
      state.check_unused();
      state.options.persistent = true;
    }
    ~OneUse() { state_.options.persistent = persistent_; }
    OneUse(const OneUse&) = delete;
    OneUse& operator=(const OneUse&) = delete;

   private:
    State& state_;
    bool persistent_;
  };

  static std::vector<State*>& active() {
    thread_local std::vector<State*> tapes;
    return tapes;
  }

  void attach() {
    ir::add_op_observer(this);
    add_read_observer(this);
    active().push_back(this);
  }

  void detach() {
    ir::remove_op_observer(this);
    remove_read_observer(this);
    std::erase(active(), this);
    recording = false;
  }

  bool tracks(const Tensor& t) const { return tracked.contains(t.id()); }

  void push(Entry entry) {
    for (const Tensor& t : entry.outputs) tracked.insert(t.id());
    entry.range = Recomputation::current_range();
    entries.push_back(std::move(entry));
  }

  void on_op(const ir::OpDef& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
             const ir::Attrs& attrs, const ir::Regions& regions) override {
    if (!recording || op.no_gradient) return;
    if (std::none_of(inputs.begin(), inputs.end(), [&](const Tensor& t) { return tracks(t); }))
      return;
    push({&op,
          {inputs.begin(), inputs.end()},
          {outputs.begin(), outputs.end()},
          attrs,
          regions,
          nullptr});
  }

  void on_read(const Variable& variable, const Tensor& value) override {
    if (!recording || !is_floating(variable.dtype())) return;
    const bool automatic = options.watch_accessed_variables && variable.trainable();
    if (!automatic && !explicit_variables.contains(variable.id())) return;
    Tensors& values = reads[variable.id()];
    if (values.empty()) variables.push_back(variable);
    if (values.empty() || values.back().id() != value.id()) values.push_back(value);
    tracked.insert(value.id());
  }

  Tensors backward(const Tensors& targets, const Tensors& sources, const Tensors& output_gradients);
};

Tensors GradientTape::State::backward(const Tensors& targets, const Tensors& sources,
                                      const Tensors& output_gradients) {
  // Ids of values that depend on a source.
  std::unordered_set<uint64_t> reached;
  for (const Tensor& t : sources) reached.insert(t.id());
  std::vector<char> on_path(entries.size(), 0);
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& e = entries[i];
    if (std::none_of(e.inputs.begin(), e.inputs.end(),
                     [&](const Tensor& t) { return reached.contains(t.id()); })) {
      continue;
    }
    on_path[i] = 1;
    for (const Tensor& t : e.outputs) reached.insert(t.id());
  }
  Recomputation recomputed;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (on_path[i] == 0) continue;
    recomputed.note(entries[i].range, entries[i].inputs);
    recomputed.note(entries[i].range, entries[i].outputs);
  }

  GradientOrigins origins;
  std::unordered_map<uint64_t, Tensor> gradients;
  const auto accumulate = [&](const Tensor& of, const Tensor& gradient) {
    if (!gradient.defined() || !is_floating(of.dtype())) return;
    if (!(gradient.shape() == of.shape())) {
      throw InternalError("received a gradient of shape {} for a tensor of shape {}",
                          gradient.shape(), of.shape());
    }
    Tensor& sum = gradients[of.id()];
    sum = sum.defined() ? ops::add(sum, gradient) : gradient;
  };
  for (size_t i = 0; i < targets.size(); ++i) {
    const Tensor& seed = i < output_gradients.size() ? output_gradients[i] : Tensor();
    accumulate(targets[i], seed.defined() ? seed : ops::ones_like(targets[i]));
  }

  for (size_t i = entries.size(); i-- > 0;) {
    if (on_path[i] == 0) continue;
    const Entry& e = entries[i];
    Tensors grads;
    bool any = false;
    for (const Tensor& t : e.outputs) {
      const auto it = gradients.find(t.id());
      grads.push_back(it == gradients.end() ? Tensor() : it->second);
      any = any || grads.back().defined();
    }
    if (!any) continue;
    const ir::OriginScope origin(origins.of(e.origin));
    Tensors inputs_again;
    Tensors outputs_again;
    const Tensors& inputs = recomputed.values(e.range, e.inputs, grads, inputs_again);
    const Tensors& outputs = recomputed.values(e.range, e.outputs, grads, outputs_again);
    const Tensors results =
        e.op != nullptr ? ops::vjp_of_op(*e.op, {inputs, outputs, grads, e.attrs, e.regions})
                        : (*e.backward)(inputs, outputs, grads);
    if (results.size() > e.inputs.size()) {
      throw ValueError(
          "A gradient function must return one gradient per input. Received: {} gradients for {} "
          "inputs.",
          results.size(), e.inputs.size());
    }
    for (size_t k = 0; k < results.size(); ++k) {
      if (reached.contains(e.inputs[k].id())) accumulate(e.inputs[k], results[k]);
    }
  }

  Tensors result;
  for (const Tensor& t : sources) {
    const auto it = gradients.find(t.id());
    result.push_back(it == gradients.end() ? Tensor() : it->second);
  }
  return result;
}

GradientTape::GradientTape(const GradientTapeOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
  state_->attach();
}

GradientTape::~GradientTape() { state_->detach(); }

void GradientTape::watch(const Tensor& tensor) {
  if (!is_floating(tensor.dtype())) {
    throw ValueError(
        "GradientTape.watch: the dtype of the watched tensor must be floating. Received: {}.",
        dtype_name(tensor.dtype()));
  }
  // Ops replace a C++ number by a new scalar of the dtype that they need, and tapes do not track
  // that scalar. A watched number is therefore an ordinary array from now on.
  tensor.impl()->weak = false;
  state_->tracked.insert(tensor.id());
  state_->watched.push_back(tensor);
}

void GradientTape::watch(const Variable& variable) {
  state_->explicit_variables.insert(variable.id());
}

Tensors GradientTape::gradient(const Tensors& targets, const Tensors& sources,
                               const Tensors& output_gradients, GradientOptions options) {
  state_->check_unused();
  state_->used = true;
  const bool resumed = std::exchange(state_->recording, false);
  Tensors result;
  try {
    result = state_->backward(targets, sources, output_gradients);
  } catch (...) {
    state_->recording = resumed;
    throw;
  }
  if (state_->options.persistent) {
    state_->recording = resumed;
  } else {
    state_->detach();
    reset();
  }
  if (options.unconnected_gradients == UnconnectedGradients::zero) {
    for (size_t i = 0; i < result.size(); ++i) {
      if (!result[i].defined()) result[i] = ops::zeros_like(sources[i]);
    }
  }
  return result;
}

Tensor GradientTape::gradient(const Tensor& target, const Tensor& source, GradientOptions options) {
  return gradient(Tensors{target}, Tensors{source}, {}, options)[0];
}

Tensor GradientTape::gradient(const Tensor& target, const Variable& source,
                              GradientOptions options) {
  return gradient(target, Variables{source}, options)[0];
}

Tensors GradientTape::gradient(const Tensor& target, const Tensors& sources,
                               GradientOptions options) {
  return gradient(Tensors{target}, sources, {}, options);
}

Tensors GradientTape::gradient(const Tensor& target, const Variables& sources,
                               GradientOptions options) {
  // A variable may have been read with several values: its gradient is the sum over the reads.
  Tensors reads;
  std::vector<size_t> owner;
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto it = state_->reads.find(sources[i].id());
    if (it == state_->reads.end()) continue;
    for (const Tensor& t : it->second) {
      reads.push_back(t);
      owner.push_back(i);
    }
  }
  const Tensors gradients = gradient(Tensors{target}, reads, {});
  Tensors result(sources.size());
  for (size_t k = 0; k < gradients.size(); ++k) {
    if (!gradients[k].defined()) continue;
    Tensor& sum = result[owner[k]];
    sum = sum.defined() ? ops::add(sum, gradients[k]) : gradients[k];
  }
  if (options.unconnected_gradients == UnconnectedGradients::zero) {
    for (size_t i = 0; i < result.size(); ++i) {
      if (!result[i].defined()) result[i] = ops::zeros(sources[i].shape(), sources[i].dtype());
    }
  }
  return result;
}

Tensor GradientTape::jacobian(const Tensor& target, const Tensor& source) {
  const State::OneUse use(*state_);
  const int64_t n = target.size();
  const Tensor units = ops::eye(n, n, 0, target.dtype());
  Tensors rows;
  for (int64_t i = 0; i < n; ++i) {
    const Tensor unit = ops::reshape(ops::slice_axis(units, 0, i, i + 1), target.shape());
    rows.push_back(gradient(Tensors{target}, Tensors{source}, Tensors{unit},
                            {.unconnected_gradients = UnconnectedGradients::zero})[0]);
  }
  Shape shape = target.shape();
  for (int64_t d : source.shape()) shape.push_back(d);
  return rows.empty() ? ops::zeros(shape, source.dtype()) : ops::reshape(ops::stack(rows), shape);
}

Tensor GradientTape::batch_jacobian(const Tensor& target, const Tensor& source) {
  if (target.rank() == 0 || source.rank() == 0 || target.dim(0) != source.dim(0)) {
    throw ValueError(
        "batch_jacobian: axis 0 of target and source must be the same batch. Received: "
        "target.shape={}, source.shape={}",
        target.shape(), source.shape());
  }
  const State::OneUse use(*state_);
  Shape shape = target.shape();
  for (int i = 1; i < source.rank(); ++i) shape.push_back(source.dim(i));
  if (target.size() == 0) return ops::zeros(shape, source.dtype());
  // The sum over the samples has the gradients of all: each depends on its own sample alone.
  Shape first = target.shape();
  first[0] = 1;
  const int64_t n = target.size() / target.dim(0);
  const Tensor units = ops::eye(n, n, 0, target.dtype());
  Tensors rows;
  for (int64_t i = 0; i < n; ++i) {
    const Tensor unit =
        ops::broadcast_to(ops::reshape(ops::slice_axis(units, 0, i, i + 1), first), target.shape());
    rows.push_back(gradient(Tensors{target}, Tensors{source}, Tensors{unit},
                            {.unconnected_gradients = UnconnectedGradients::zero})[0]);
  }
  return ops::reshape(ops::stack(rows, 1), shape);
}

Variables GradientTape::watched_variables() const { return state_->variables; }

void GradientTape::reset() {
  state_->entries.clear();
  state_->tracked.clear();
  state_->watched.clear();
  state_->reads.clear();
  state_->variables.clear();
}

GradientTape::StopRecording::StopRecording(GradientTape& tape)
    : tape_(tape), resumed_(std::exchange(tape.state_->recording, false)) {}

GradientTape::StopRecording::~StopRecording() { tape_.state_->recording = resumed_; }

ValueAndGrad value_and_grad(const std::function<Tensor()>& f, const Variables& variables) {
  GradientTape tape({.watch_accessed_variables = false});
  for (const Variable& v : variables) tape.watch(v);
  const Tensor value = f();
  return {value, tape.gradient(value, variables)};
}

Tensors custom_gradient(
    const std::function<Tensors(const Tensors&)>& forward,
    const std::function<Tensors(const Tensors&, const Tensors&, const Tensors&)>& backward,
    const Tensors& inputs) {
  const auto tapes = GradientTape::State::active();
  std::vector<bool> were_recording;
  were_recording.reserve(tapes.size());
  for (auto* tape : tapes) were_recording.push_back(std::exchange(tape->recording, false));
  const auto resume = [&] {
    for (size_t i = 0; i < tapes.size(); ++i) tapes[i]->recording = were_recording[i];
  };
  Tensors outputs;
  try {
    outputs = forward(inputs);
  } catch (...) {
    resume();
    throw;
  }
  resume();
  // An output that is also an input gets a new id; otherwise its gradient would be counted twice.
  for (Tensor& output : outputs) {
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](const Tensor& t) { return t.id() == output.id(); }))
      continue;
    auto impl = std::make_shared<TensorImpl>(*output.impl());
    impl->id = next_unique_id();
    output = Tensor(std::move(impl));
  }
  const auto rule = std::make_shared<const Backward>(backward);
  for (auto* tape : tapes) {
    const bool tracked =
        std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& t) { return tape->tracks(t); });
    if (tape->recording && tracked) tape->push({nullptr, inputs, outputs, {}, {}, rule});
  }
  return outputs;
}

}  // namespace antler
