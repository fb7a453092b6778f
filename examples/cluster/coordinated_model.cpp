// The ClusterCoordinator part of the Keras Model walkthrough: a model whose fit() schedules its
// train function on the workers of a cluster with parameter servers.
//
//     antler launch --workers 2 --ps 1 -- ./coordinated_model
//
// Without a cluster it trains in this process.

#include <antler/cluster/cluster_coordinator.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "../example_options.h"
#include "parameter_servers.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

/// The name by which the workers know their data.
constexpr const char* kDataset = "walkthrough";

class SimplifiedModel : public Model {
 public:
  /// With a coordinator, workers run the steps of fit().
  explicit SimplifiedModel(std::optional<cluster::ClusterCoordinator> coordinator)
      : coordinator_(std::move(coordinator)) {}

  void compile(const OptimizerPtr& optimizer, const Loss& loss,
               const std::vector<MetricPtr>& metrics) {
    optimizer_ = optimizer;
    loss_ = loss;
    metrics_ = metrics;
  }

  Tensor call(const Tensor& inputs, const CallOptions& options) override {
    return dense_(inputs, options);
  }

  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor y_pred = (*this)(batch.x.tensor(), {.training = true});
    const Tensor loss = loss_(batch.y, y_pred);
    optimizer_->minimize(loss, trainable_variables(), tape);
    for (const MetricPtr& metric : metrics_) metric->update_state(batch.y, y_pred);
    return {{"loss", loss}};
  }

  /// The elements of the data sets are (inputs, targets).
  void fit(const cluster::MakeDataset& make_dataset, int64_t epochs, int64_t steps_per_epoch) {
    (*this)(ops::zeros({1, 10}));  // creates the weights
    optimizer_->build(trainable_variables());
    const Function train_function = tf::function(Function::Body(
        [this](const Nest& batch) -> Nest { return train_step(unpack_x_y_sample_weight(batch)); }));
    for (int64_t epoch = 0; epoch < epochs; ++epoch) {
      for (const MetricPtr& metric : metrics_) metric->reset_state();
      const double loss = coordinator_ ? schedule_epoch(train_function, steps_per_epoch)
                                       : run_epoch(train_function, make_dataset, steps_per_epoch);
      std::printf("epoch: (%d/%d), loss: %.6g", static_cast<int>(epoch + 1),
                  static_cast<int>(epochs), loss);
      for (const MetricPtr& metric : metrics_)
        std::printf(", %s: %.6g", metric->name().c_str(), metric->result().tensor().item());
      std::printf("\n");
    }
  }

 private:
  /// The workers read their data themselves. Returns the loss of the last step.
  double schedule_epoch(const Function& step, int64_t steps) {
    const auto iterator = coordinator_->create_per_worker_dataset(kDataset).iter();
    std::optional<cluster::RemoteValue> last;
    for (int64_t i = 0; i < steps; ++i) last = coordinator_->schedule(step, {iterator});
    coordinator_->join();
    return last ? last->fetch().at("loss").tensor().item() : 0;
  }

  static double run_epoch(const Function& step, const cluster::MakeDataset& make_dataset,
                          int64_t steps) {
    double loss = 0;
    for (const Nest& batch : make_dataset({}).take(steps))
      loss = step(batch).at("loss").tensor().item();
    return loss;
  }

  std::optional<cluster::ClusterCoordinator> coordinator_;
  Dense dense_ = track("dense", Dense(1));
  OptimizerPtr optimizer_;
  Loss loss_;
  std::vector<MetricPtr> metrics_;
};

}  // namespace

int main(int argc, char** argv) {
  ExampleOptions options{.about = "The ClusterCoordinator part of the Keras Model walkthrough.",
                         .epochs = 10};
  return run_example(argc, argv, options, [&] {
    const auto make_dataset = [](const data::InputContext&) {
      const Tensor x = random::uniform({1000, 10}, {.seed = 1});
      const Tensor y = ops::sum(x, {1}, {.keepdims = true});
      return data::Dataset::from_tensor_slices(Nest{x, y}).shuffle(1000).batch(10).repeat();
    };
    cluster::register_dataset_fn(kDataset, make_dataset);
    const auto servers = enter_cluster();
    const distribute::Strategy strategy =
        servers ? distribute::Strategy(*servers) : distribute::get_strategy();
    const auto scope = strategy.scope();
    std::optional<cluster::ClusterCoordinator> coordinator;
    if (servers) coordinator.emplace(strategy);
    SimplifiedModel model(coordinator);
    model.compile(optimizers::get("sgd"), losses::MeanSquaredError(),
                  {metrics::MeanAbsolutePercentageError().share()});
    model.fit(make_dataset, options.epochs, /*steps_per_epoch=*/100);
  });
}
