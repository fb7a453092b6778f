// The SimplifiedModel of the Keras Model walkthrough. It implements compile, fit, evaluate and
// predict with the parts that Model itself uses: a strategy, a compiled step function, a runner for
// several steps per execution, and a list of callbacks.

#include <algorithm>
#include <cstdio>
#include <limits>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

class SimplifiedModel : public Model {
 public:
  void compile(const OptimizerPtr& optimizer, const Loss& loss,
               const std::vector<MetricPtr>& metrics, int64_t steps_per_execution = 1) {
    optimizer_ = optimizer;
    loss_ = loss;
    metrics_ = metrics;
    steps_per_execution_ = steps_per_execution;
    train_function_ = {};
  }

  Tensor call(const Tensor& inputs, const CallOptions& options) override {
    return dense_(inputs, options);
  }

  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor y_pred = (*this)(batch.x.tensor(), {.training = true});
    const Tensor loss = total_loss(batch.y, y_pred);
    optimizer_->minimize(loss, trainable_variables(), tape);
    return results(loss, batch.y, y_pred);
  }

  Logs test_step(const Batch& batch) override {
    const Tensor y_pred = (*this)(batch.x.tensor(), {.training = false});
    return results(total_loss(batch.y, y_pred), batch.y, y_pred);
  }

  /// The elements of `dataset` are (inputs, targets). `steps_per_epoch` is for endless data sets.
  void fit(const data::Dataset& dataset, int64_t epochs = 1, int verbose = 1,
           int64_t steps_per_epoch = std::numeric_limits<int64_t>::max(),
           const Callbacks& user_callbacks = {}) {
    CallbackList callbacks(user_callbacks, /*add_history=*/true, /*add_progbar=*/verbose != 0, this,
                           {.verbose = verbose, .epochs = epochs, .steps = -1});
    make_train_function();
    train_counter_ = 0;
    callbacks.on_train_begin();
    for (int64_t epoch = 0; epoch < epochs; ++epoch) {
      const auto iterator = dataset.source({});
      StepRunner runner(train_function_, *iterator);
      callbacks.on_epoch_begin(epoch);
      Nest outputs;
      for (int64_t step = 0; step < steps_per_epoch; step += steps_per_execution_) {
        callbacks.on_train_batch_begin(step);
        const int64_t done = runner.run(steps_per_execution_, outputs);
        if (done == 0) break;  // the data has ended
        train_counter_ += done;
        callbacks.on_train_batch_end(step + done - 1, Logs(outputs));
      }
      callbacks.on_epoch_end(epoch);
    }
    callbacks.on_train_end();
  }

  Function make_train_function(bool force = false) override {
    if (train_function_.defined() && !force) return train_function_;
    const auto run_step = [this](const Nest& batch) -> Nest {
      const distribute::Strategy& strategy = distribute_strategy();
      const auto replica_step = [this](const Nest& part) -> Nest {
        return train_step(unpack_x_y_sample_weight(part));
      };
      if (strategy.num_replicas_in_sync() == 1) return replica_step(batch);
      // Variables of metrics are summed over the replicas.
      const auto accumulates = [this](const Variable& variable) {
        return std::any_of(metrics_.begin(), metrics_.end(), [&](const MetricPtr& metric) {
          const Variables own = metric->variables();
          return std::find(own.begin(), own.end(), variable) != own.end();
        });
      };
      return strategy
          .experimental_local_results(
              strategy.run(replica_step, strategy.split(batch), {.accumulates = accumulates}))
          .front();
    };
    train_function_ = tf::function(Function::Body(run_step), {.name = "train_function"});
    return train_function_;
  }

  /// Means of the results of test_step() over the batches.
  HostLogs evaluate(const data::Dataset& dataset) {
    reset_metrics();
    HostLogs sums;
    int64_t batches = 0;
    for (const Nest& batch : dataset) {
      reset_metrics();
      for (const auto& [name, value] : test_step(unpack_x_y_sample_weight(batch)))
        sums[name] += value;
      ++batches;
    }
    if (batches == 0) throw ValueError("evaluate: the data set must have at least one batch.");
    for (auto& [name, value] : sums) value /= static_cast<double>(batches);
    return sums;
  }

  Tensor predict(const data::Dataset& dataset) {
    Tensors parts;
    for (const Nest& batch : dataset) parts.push_back((*this)(batch.tensor(), {.training = false}));
    return ops::concatenate(parts, 0);
  }

  void reset_metrics() {
    for (const MetricPtr& metric : metrics_) metric->reset_state();
  }
  int64_t steps_done() const { return train_counter_; }

 private:
  Tensor total_loss(const Tensor& y, const Tensor& y_pred) {
    Tensor loss = loss_(y, y_pred);
    for (const Tensor& extra : losses())
      loss = loss + distribute::scale_loss_for_distribution(extra);
    return loss;
  }

  Logs results(const Tensor& loss, const Tensor& y, const Tensor& y_pred) {
    Logs logs = {{"loss", loss}};
    for (const MetricPtr& metric : metrics_) {
      metric->update_state(y, y_pred);
      const Nest result = metric->result();
      if (!result.is_dict()) logs[metric->name()] = result;
      for (const auto& [name, value] : result.items()) logs[name] = value;
    }
    return logs;
  }

  Dense dense_ = track("dense", Dense(1));
  OptimizerPtr optimizer_;
  Loss loss_;
  std::vector<MetricPtr> metrics_;
  int64_t steps_per_execution_ = 1;
  int64_t train_counter_ = 0;
  Function train_function_;
};

void print(const char* when, const HostLogs& logs) {
  std::printf("Metrics %s:", when);
  for (const auto& [name, value] : logs) std::printf(" %s: %.6g", name.c_str(), value);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  int64_t replicas = 1;
  ExampleOptions options{
      .about = "The SimplifiedModel of the Keras Model walkthrough.",
      .epochs = 10,
      .extras = {{"--replicas", &replicas, "CPU devices of a MirroredStrategy; 1: no strategy"}}};
  return run_example(argc, argv, options, [&] {
    const distribute::Strategy strategy =
        replicas > 1
            ? distribute::Strategy(distribute::MirroredStrategy(static_cast<int>(replicas)))
            : distribute::get_strategy();
    const auto scope = strategy.scope();
    SimplifiedModel model;
    const Tensor x = ops::zeros({1000, 10});
    const Tensor y = ops::ones({1000, 1});
    const auto ds = data::Dataset::from_tensor_slices(Nest{x, y}).batch(10);
    const auto ds_test = data::Dataset::from_tensor_slices(x).batch(10);
    model.compile(optimizers::get("sgd"), losses::MeanSquaredError({.reduction = "sum"}),
                  {metrics::MeanAbsolutePercentageError().share()}, /*steps_per_execution=*/5);
    print("Before Fit", model.evaluate(ds));
    model.fit(ds, options.epochs, /*verbose=*/2);
    std::printf("Steps: %lld\n", static_cast<long long>(model.steps_done()));
    std::printf("Predictions Shape: %s\n", model.predict(ds_test).shape().str().c_str());
    print("After", model.evaluate(ds));
  });
}
