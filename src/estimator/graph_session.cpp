#include "estimator/graph_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/none.h"
#include "base/strings.h"
#include "estimator/graph_state.h"
#include "estimator/shared_training.h"

namespace antler::estimator {
namespace {

/// Ends a run in the middle.
struct StopRun {};

/// The promised spec with actual numbers in place of unknown sizes, for tracing without a batch.
Nest filled(const Nest& promised) {
  return promised.map([](const Tensor& leaf) {
    if (!leaf.defined()) return leaf;
    std::vector<int64_t> dims = leaf.shape().dims();
    std::replace(dims.begin(), dims.end(), Shape::kUnknown, int64_t{1});
    return Tensor::spec_only({leaf.dtype(), Shape(std::move(dims))});
  });
}

/// The spec of a batch whose number of rows may differ from that of other batches.
Nest with_unknown_rows(const Nest& batch) {
  return batch.map([](const Tensor& leaf) {
    if (!leaf.defined()) return leaf;
    std::vector<int64_t> dims = leaf.shape().dims();
    if (!dims.empty()) dims[0] = Shape::kUnknown;
    return Tensor::spec_only({leaf.dtype(), Shape(std::move(dims))});
  });
}

/// A value that later steps do not change.
Tensor copy_of(const Tensor& value) {
  Tensor copy = Tensor::empty(value.dtype(), value.shape());
  if (value.bytes() > 0)
    std::copy_n(static_cast<const std::byte*>(value.data()), value.bytes(),
                static_cast<std::byte*>(copy.mutable_data()));
  return copy;
}

}  // namespace

GraphSession::GraphSession(ModelTrace& model, std::shared_ptr<InputStream> input)
    : model_(model), input_(std::move(input)) {
  const std::optional<Nest> promised = input_->promised_spec();
  const Nest* batch = nullptr;
  Nest without_data;
  if (promised) {
    promised_ = *promised;
    const bool is_known = std::ranges::all_of(promised_.flatten(), [](const Tensor& leaf) {
      return !leaf.defined() || leaf.shape().is_known();
    });
    // Data is not read before the session has begun, unless its sizes are known only from a batch.
    if (!is_known) batch = input_->peek();
    if (batch == nullptr) {
      without_data = filled(promised_);
      batch = &without_data;
    }
  } else if ((batch = input_->peek()) != nullptr) {
    promised_ = with_unknown_rows(*batch);
  } else {
    throw ValueError(
        "input_fn returned a data set without elements whose specs are not known: its element_spec "
        "is not given, as after map().");
  }
  model_.trace(*batch, promised_);
  global_step_ = graph().global_step();
}

int64_t GraphSession::global_step() const {
  return static_cast<int64_t>(global_step_.stored().item());
}

bool GraphSession::has_batch() { return input_->peek() != nullptr; }

void GraphSession::watch_step(std::vector<std::string> names,
                              std::function<void(const Tensors&)> call) {
  watched_names_ = std::move(names);
  watched_call_ = std::move(call);
}

GraphSession::Source GraphSession::resolve(const Fetch& fetch, bool of_step,
                                           std::vector<ir::ValueId>& outputs) const {
  const auto output = [&](ir::ValueId id) {
    const auto found = std::find(outputs.begin(), outputs.end(), id);
    if (found != outputs.end()) return Source{found - outputs.begin()};
    outputs.push_back(id);
    return Source{std::ssize(outputs) - 1};
  };
  // The value of a variable before the step. A step that does not use a variable does not change
  // it.
  const auto variable_value = [&](const Variable& variable) {
    if (of_step) {
      for (const ir::StateSlot& slot : model_.first().graph.states) {
        if (slot.variable == variable) return output(slot.input);
      }
    }
    return Source{-1, variable.stored()};
  };
  if (const auto* variable = std::get_if<Variable>(&fetch)) return variable_value(*variable);
  const auto& names = model_.first().names;
  if (const auto* tensor = std::get_if<Tensor>(&fetch)) {
    if (!tensor->is_traced()) return {-1, *tensor};
    return output(tensor->impl()->value_id);
  }
  const std::string& name = std::get<std::string>(fetch);
  if (const Variable variable = graph().find(name); variable.defined())
    return variable_value(variable);
  if (const auto found = names.find(name); found != names.end()) return output(found->second);
  throw ValueError("The graph has no tensor or variable named '{}'. Its tensors are: {}.", name,
                   join(graph().tensor_names(), ", "));
}

const GraphSession::Compiled& GraphSession::compiled(const Nest& batch,
                                                     const std::vector<ir::ValueId>& outputs,
                                                     bool updates) {
  const Tensors leaves = defined_leaves(batch);
  for (const Compiled& entry : programs_) {
    if (entry.updates == updates && entry.outputs == outputs && have_specs(leaves, entry.specs))
      return entry;
  }
  const BatchTrace& trace = model_.trace(batch, promised_);
  if (trace.graph.nodes.size() != model_.first().graph.nodes.size() && !outputs.empty()) {
    // The values then have different numbers; only those with names can be found.
    for (const ir::ValueId id : outputs) {
      const bool named = std::ranges::any_of(model_.first().names,
                                             [&](const auto& item) { return item.second == id; });
      if (!named) {
        throw RuntimeError(
            "model_fn makes another graph for a batch of another shape, so an unnamed tensor "
            "cannot be fetched there. Give it a name with identity().");
      }
    }
  }
  ir::Graph graph = trace.graph;
  for (const ir::ValueId id : outputs) {
    ir::ValueId here = id;
    for (const auto& [name, value] : model_.first().names) {
      if (value == id) here = trace.names.at(name);
    }
    graph.outputs.push_back(here);
  }
  if (!updates) {
    for (ir::StateSlot& slot : graph.states) slot.output = -1;
  }
  Compiled entry{.updates = updates, .outputs = outputs};
  for (const Tensor& leaf : leaves) entry.specs.push_back(leaf.spec());
  const std::string name = "estimator";
  if (const auto* shared = shared_variables(model_.strategy())) {
    entry.shared = shared->compile(std::move(graph), global_step_, name);
  } else {
    entry.program = std::make_unique<Program>(ir::prune(graph), ProgramOptions{.name = name});
  }
  return programs_.emplace_back(std::move(entry));
}

Tensors GraphSession::placeholders(const Feeds& feeds) const {
  Tensors values;
  for (const Feedable& feedable : graph().state()->feedables) values.push_back(feedable.value);
  for (const auto& [name, value] : feeds) {
    const auto& all = graph().state()->feedables;
    const auto found = std::ranges::find(all, name, &Feedable::name);
    if (found == all.end()) {
      throw ValueError(
          "The graph has no placeholder named '{}' to feed. Make one with "
          "placeholder_with_default().",
          name);
    }
    if (value.spec() != found->value.spec()) {
      throw ValueError("The placeholder '{}' has the spec {}. Received: {}.", name,
                       found->value.str(), value.str());
    }
    values[static_cast<size_t>(found - all.begin())] = value;
  }
  return values;
}

int64_t GraphSession::run_compiled(const Compiled& entry, int64_t n, const Limit& limit,
                                   const Tensors& fed, Tensors& values,
                                   const Program::StepOutputs& each) {
  if (entry.shared != nullptr) {
    StreamArguments arguments(*input_, entry.specs, fed);
    return entry.shared->run(n, limit.global_step, arguments, values, each);
  }
  StepFeed feed(*input_, entry.specs, fed);
  return entry.program->run(n, feed, values, each);
}

RunResult GraphSession::run_program(const Limit& limit, const std::vector<Fetch>& fetches,
                                    const Feeds& feeds, bool updates) {
  std::vector<ir::ValueId> outputs;
  const auto& names = model_.first().names;
  int64_t loss = -1;
  if (updates && names.contains(ModelTrace::kLoss)) {
    loss = 0;
    outputs.push_back(names.at(ModelTrace::kLoss));
  }
  std::vector<Source> sources;
  sources.reserve(fetches.size());
  for (const Fetch& fetch : fetches) sources.push_back(resolve(fetch, updates, outputs));
  std::vector<Source> watched;
  std::vector<std::pair<const ValueCheck*, Source>> checked;
  if (updates) {
    for (const std::string& name : watched_names_) watched.push_back(resolve(name, true, outputs));
    if (!model_.on_tpu()) {
      for (const ValueCheck& check : graph().state()->checks)
        checked.emplace_back(&check, resolve(check.fetch, true, outputs));
    }
  }

  RunResult result;
  Tensors values;
  const Tensors fed = placeholders(feeds);
  while (result.steps < limit.steps) {
    const Nest* const batch = input_->peek();
    if (batch == nullptr) break;
    const Compiled& entry = compiled(*batch, outputs, updates);
    const int64_t n = limit.steps - result.steps;
    int64_t done = 0;
    Program::StepOutputs each;
    if (updates && (watch_ || watched_call_ || !checked.empty())) {
      each = [&](const Tensors& step) {
        ++done;
        for (const auto& [check, s] : checked)
          run_check(*check, s.output < 0 ? s.host : step[static_cast<size_t>(s.output)]);
        if (watched_call_) {
          Tensors host;
          for (const Source& s : watched)
            host.push_back(s.output < 0 ? s.host : step[static_cast<size_t>(s.output)]);
          watched_call_(host);
        }
        if (watch_ && loss >= 0 && watch_(step[0])) {
          values.clear();
          for (const Tensor& value : step) values.push_back(copy_of(value));
          throw StopRun();
        }
      };
    }
    bool stopped = false;
    try {
      done = run_compiled(entry, n, limit, fed, values, each);
    } catch (const StopRun&) {
      stopped = true;
    }
    result.steps += done;
    if (stopped || done == 0) break;
    // Other processes may have run the remaining steps.
    if (done < n && entry.shared != nullptr && global_step() >= limit.global_step) break;
  }
  if (result.steps == 0) return result;
  if (loss >= 0) result.loss = values[0];
  for (const Source& s : sources)
    result.values.push_back(s.output < 0 ? s.host : values[static_cast<size_t>(s.output)]);
  return result;
}

RunResult GraphSession::run_steps(int64_t n, const std::vector<Fetch>& fetches, const Feeds& feeds,
                                  int64_t until) {
  return run_program({.steps = n, .global_step = until}, fetches, feeds, true);
}

std::vector<Tensor> GraphSession::run(const std::vector<Fetch>& fetches) {
  std::vector<ir::ValueId> outputs;
  Tensors host;
  for (const Fetch& fetch : fetches) host.push_back(resolve(fetch, false, outputs).host);
  if (outputs.empty()) return host;
  RunResult result = run_program({}, fetches, {}, false);
  if (result.steps == 0) throw OutOfRangeError("End of sequence");
  return result.values;
}

}  // namespace antler::estimator
