#include "cluster_training/seen.h"

#include <vector>

#include "cluster_training/scenarios.h"

namespace antler::test {

cluster::MultiWorkerMirroredStrategy elastic_strategy(double timeout) {
  cluster::CommunicationOptions settings = communication();
  settings.timeout_seconds = timeout;
  return cluster::MultiWorkerMirroredStrategy({.communication_options = settings, .elastic = true});
}

Tensor numbered(const Tensor& values) {
  std::vector<float> numbers(static_cast<size_t>(values.dim(0)));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return ops::concatenate({values, Tensor::of<float>(numbers).reshape({values.dim(0), 1})}, 1);
}

Tensor loss_of_numbered(const Tensor& y_true, const Tensor& y_pred) {
  return ops::square(ops::slice_axis(y_true, 1, 0, 1) - y_pred);
}

void Seen::update_state(const Tensor& y_true, const Tensor&, const Tensor&) {
  const Tensor numbers = ops::cast(ops::slice_axis(y_true, 1, 1, 2), "int32");
  counts_.assign_add(
      ops::sum(ops::one_hot(ops::reshape(numbers, {numbers.dim(0)}), samples_), {0}));
}

Nest Seen::result() const {
  const Tensor wrong = ops::sum(ops::absolute(counts_.value() - 1.0));
  return Nest::dict({{"seen", ops::sum(counts_.value())}, {"not_once", wrong}});
}

}  // namespace antler::test
