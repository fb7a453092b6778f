#include "training/exact_evaluation.h"

#include <utility>

#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"

namespace antler::training {

ExactEvaluation::ExactEvaluation(Model& model, distribute::RemoteProcesses& remote)
    : model_(model),
      remote_(remote),
      function_(tf::function(Function::Body([this](const Nest& batch) { return step(batch); }),
                             {.name = "exact_test_step"})) {}

Nest ExactEvaluation::step(const Nest& batch) {
  Tensors before;
  for (const Variable& v : variables_) {
    before.push_back(v.value());
    v.assign(ops::zeros(v.shape(), v.dtype()));
  }
  model_.Model::test_step(unpack_x_y_sample_weight(batch));
  std::vector<Nest> values;
  for (size_t i = 0; i < variables_.size(); ++i) {
    values.emplace_back(variables_[i].value());
    variables_[i].assign(before[i]);
  }
  return Nest(std::move(values));
}

void ExactEvaluation::prepare(const Function& function, const Nest& example) {
  if (!is_prepared_) {
    // Metrics create their variables in the first step.
    remote_.prepare(model_.make_test_function(), example);
    for (const MetricPtr& metric : model_.metrics()) {
      const Variables own = metric->variables();
      variables_.insert(variables_.end(), own.begin(), own.end());
    }
    for (const Variable& v : variables_) sums_.push_back(Tensor::zeros(v.dtype(), v.shape()));
    is_prepared_ = true;
  }
  remote_.prepare(function, example);
}

void ExactEvaluation::schedule(const Function& function, std::vector<Nest> batches) {
  for (Nest& batch : batches) {
    if (!is_prepared_) prepare(function, batch);
    remote_.schedule_result(function, std::move(batch));
  }
  add_results();
}

void ExactEvaluation::add_results() {
  for (const Nest& values : remote_.take_results()) {
    for (size_t i = 0; i < sums_.size(); ++i) sums_[i] = ops::add(sums_[i], values[i].tensor());
  }
}

void ExactEvaluation::join() {
  remote_.join();
  add_results();
  for (size_t i = 0; i < variables_.size(); ++i) variables_[i].assign(sums_[i]);
}

}  // namespace antler::training
