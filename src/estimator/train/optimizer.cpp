#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/estimator/graph.h"
#include "antler/estimator/train.h"
#include "antler/ops/collectives.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "base/strings.h"
#include "estimator/graph_state.h"
#include "estimator/train/gathered_rows.h"
#include "estimator/train/slot_names.h"

/// Shared by all optimizers: slots, and the order of an update.
namespace antler::estimator::train {

struct Optimizer::State {
  std::weak_ptr<GraphState> graph;  ///< of the variables below
  std::map<std::pair<uint64_t, std::string>, Variable> slots;
  std::map<std::string, Variable> scalars;
};

namespace {

/// Scope and infix of the current PartitionedSlotNames; empty if there is none.
thread_local std::pair<std::string, std::string> t_slot_names;

/// The name of a variable in checkpoints.
std::string graph_name(const Variable& variable) {
  for (const GraphVariable& entry : Graph::current().state()->variables) {
    if (entry.variable == variable) return name_of(entry);
  }
  return variable.path();
}

/// The combined gradients of all replicas.
GradientsAndVariables reduced(GradientsAndVariables gradients) {
  if (ops::replica_count() == 1) return gradients;
  const bool sum = Graph::current().state()->loss_is_sum;
  Graph::current().state()->averages_gradients = !sum;
  for (auto& [gradient, variable] : gradients) {
    if (gradient.defined())
      gradient = ops::all_reduce(gradient, sum ? ops::ReduceOp::sum : ops::ReduceOp::mean);
  }
  return gradients;
}

}  // namespace

PartitionedSlotNames::PartitionedSlotNames(std::string scope, std::string infix)
    : previous_(std::exchange(t_slot_names, {std::move(scope), std::move(infix)})) {}
PartitionedSlotNames::~PartitionedSlotNames() { t_slot_names = std::move(previous_); }

Optimizer::Optimizer(std::string name, Tensor learning_rate)
    : name_(std::move(name)),
      learning_rate_(std::move(learning_rate)),
      state_(std::make_shared<State>()) {
  if (name_.empty()) throw ValueError("Must specify the optimizer name. Received: name=\"\"");
}

Optimizer::State& Optimizer::state() const {
  const std::shared_ptr<GraphState> graph = Graph::current().state();
  if (state_->graph.lock() != graph) *state_ = {.graph = graph, .slots = {}, .scalars = {}};
  return *state_;
}

TrainOp Optimizer::minimize(const Tensor& loss, const MinimizeOptions& options) {
  return apply_gradients(compute_gradients(loss, options.var_list), options.global_step);
}

GradientsAndVariables Optimizer::compute_gradients(const Tensor& loss,
                                                   const std::optional<Variables>& var_list) {
  const Variables variables = var_list ? *var_list : Graph::current().trainable_variables();
  if (variables.empty()) throw ValueError("{}: no variables to optimize.", name_);
  const Tensors gradients = estimator::gradients(loss, variables);
  GradientsAndVariables pairs;
  for (size_t i = 0; i < variables.size(); ++i) pairs.emplace_back(gradients[i], variables[i]);
  return pairs;
}

TrainOp Optimizer::apply_gradients(const GradientsAndVariables& gradients,
                                   const Variable& global_step) {
  return apply_joint_gradients(reduced(gradients), global_step);
}

TrainOp Optimizer::apply_joint_gradients(const GradientsAndVariables& gradients,
                                         const Variable& global_step) {
  GradientsAndVariables given;
  for (const auto& pair : gradients) {
    if (pair.first.defined()) given.push_back(pair);
  }
  if (given.empty()) {
    throw ValueError("{}: no gradients provided for any variable. The variables are: {}.", name_,
                     join(gradients, ", ", [](const auto& pair) { return pair.second.path(); }));
  }
  // All replicas have the same gradients now.
  const JointUpdate together;
  prepare();
  for (const auto& [gradient, variable] : given) {
    const ColocateVariables colocated(variable);
    create_slots(variable);
  }
  for (const auto& [gradient, variable] : given) update_rows(variable, gradient);
  finish();
  if (global_step.defined()) global_step.assign_add(Tensor::full(global_step.dtype(), {}, 1));
  return TrainOp::made();
}

void Optimizer::update_rows(const Variable& variable, const Tensor& gradient) {
  const Tensor rows = keeps_other_rows() ? gathered_rows(gradient) : Tensor();
  std::vector<std::pair<Variable, Tensor>> before;
  if (rows.defined()) {
    before.emplace_back(variable, variable.value());
    for (const auto& [key, slot] : state().slots) {
      if (key.first == variable.id()) before.emplace_back(slot, slot.value());
    }
  }
  update(variable, gradient);
  for (const auto& [changed, value] : before)
    changed.assign(ops::where(rows, changed.value(), value));
}

Tensor Optimizer::learning_rate(DType dtype) const { return ops::cast(learning_rate_, dtype); }

void Optimizer::add_slot(const Variable& variable, const std::string& key, double initial) {
  Variable& slot = state().slots[{variable.id(), key}];
  if (slot.defined()) return;
  const std::string& infix = t_slot_names.second;
  const std::string owner = graph_name(variable) + (infix.empty() ? "" : "/" + infix);
  slot = get_variable(unique_scope_name(owner + "/" + name_),
                      Tensor::full(variable.dtype(), variable.shape(), initial), false);
}

Variable Optimizer::slot(const Variable& variable, const std::string& key) const {
  const auto& slots = state().slots;
  const auto found = slots.find({variable.id(), key});
  if (found == slots.end())
    throw InternalError("Optimizer {} has no slot `{}` for {}.", name_, key, variable.path());
  return found->second;
}

void Optimizer::add_scalar(const std::string& name, double initial) {
  Variable& scalar = state().scalars[name];
  if (scalar.defined()) return;
  const std::string& scope = t_slot_names.first;
  scalar = get_variable(unique_scope_name(scope.empty() ? name : scope + "/" + name),
                        Tensor::full(DType::float32, {}, initial), false);
}

Variable Optimizer::scalar(const std::string& name) const {
  const auto& scalars = state().scalars;
  const auto found = scalars.find(name);
  if (found == scalars.end())
    throw InternalError("Optimizer {} has no variable `{}`.", name_, name);
  return found->second;
}

}  // namespace antler::estimator::train
