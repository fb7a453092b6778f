#include "training/elastic_training.h"

#include <exception>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"

namespace antler::training {
namespace {

/// The number of executions between two admissions of waiting workers. Each admission costs a
/// message.
constexpr int64_t kAdmitEvery = 16;
/// After this many executions, steps create no new variables.
constexpr int64_t kFirstExecutions = 2;

}  // namespace

std::unique_ptr<ElasticTraining> ElasticTraining::make(const Model& model,
                                                       ops::ElasticGroup* group) {
  if (group == nullptr) return nullptr;
  return std::unique_ptr<ElasticTraining>(new ElasticTraining(model, *group));
}

ElasticTraining::~ElasticTraining() {
  if (has_entered_) group_.leave();
}

std::optional<TrainingState> ElasticTraining::enter(CallbackList* callbacks) {
  callbacks_ = callbacks;
  has_entered_ = true;
  const auto joined = group_.enter([this] { return state(); }, callbacks != nullptr);
  if (!joined) return std::nullopt;
  return unpack(*joined);
}

Variables ElasticTraining::variables() const {
  Variables all;
  std::unordered_set<uint64_t> known;
  const auto add = [&](const Variables& variables) {
    for (const Variable& variable : variables)
      if (known.insert(variable.id()).second) all.push_back(variable);
  };
  add(model_.variables());
  if (model_.compiled()) add(model_.optimizer().variables());
  for (const MetricPtr& metric : model_.metrics()) add(metric->variables());
  return all;
}

void ElasticTraining::store(const Variables& variables, const Tensors& values) {
  for (size_t i = 0; i < values.size(); ++i) variables[i].store(values[i]);
}

void ElasticTraining::capture(int64_t steps, const Nest& outputs) {
  position_.last_steps = steps;
  position_.outputs = outputs;
  position_.variables.clear();
  for (const Variable& variable : variables_) position_.variables.push_back(variable.stored());
}

void ElasticTraining::find_variables(const DataHandler& data) {
  if (&data != std::exchange(last_data_, &data)) in_a_row_ = 0;
  // The first steps may create variables.
  if (in_a_row_++ < kFirstExecutions) variables_ = variables();
}

std::string ElasticTraining::state() {
  position_.callbacks.clear();
  if (callbacks_ != nullptr) {
    for (const CallbackHandle& callback : *callbacks_)
      position_.callbacks.push_back(callback.get()->get_state().dump());
  }
  return pack(position_);
}

void ElasticTraining::load(const TrainingState& state) {
  const Variables own = variables_ = variables();
  if (state.variables.size() != own.size()) {
    throw RuntimeError("The training of the other workers has {} variables, this one {}.",
                       state.variables.size(), own.size());
  }
  for (size_t i = 0; i < own.size(); ++i) {
    if (state.variables[i].spec() != own[i].stored().spec()) {
      throw RuntimeError("Variable {} has shape {} in the other workers, and {} in this one.",
                         own[i].path(), state.variables[i].shape(), own[i].shape());
    }
  }
  store(own, state.variables);
  position_ = state;
}

void ElasticTraining::admit() {
  if (position_.executions % kAdmitEvery != 0 && position_.step != 0) return;
  variables_ = variables();
  capture(0, position_.outputs);
  group_.admit();
}

int64_t ElasticTraining::execute(DataHandler& data, const std::function<int64_t()>& run,
                                 Nest& outputs) {
  data.mark();
  for (;;) {
    find_variables(data);
    Tensors before;
    for (const Variable& variable : variables_) before.push_back(variable.stored());
    std::exception_ptr error;
    try {
      group_.begin_execution();
      const int64_t done = run();
      group_.end_execution();
      ++position_.executions;
      if (in_a_row_ <= kFirstExecutions) variables_ = variables();
      capture(done, outputs);
      return done;
    } catch (const UnavailableError&) {
      error = std::current_exception();
    } catch (const DeadlineExceededError&) {
      error = std::current_exception();
    }
    // Undo the whole execution: some workers may have completed its last step, and others not.
    store(variables_, before);
    data.rewind();
    const auto finished = group_.recover(error);
    if (!finished) continue;
    const TrainingState state = unpack(*finished);
    load(state);
    outputs = state.outputs;
    data.skip_steps(state.last_steps);
    return state.last_steps;
  }
}

}  // namespace antler::training
