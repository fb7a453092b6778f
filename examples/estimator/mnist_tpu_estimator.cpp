// The classic MNIST network as a model_fn, trained, evaluated and applied by a TPUEstimator. A
// second run with the same --model-dir continues where the first one ended.

#include <cstdio>

#include <antler/estimator/estimators.h>

#include "../example_options.h"

using namespace antler;             // NOLINT(google-build-using-namespace): as in a tutorial
using namespace antler::estimator;  // NOLINT(google-build-using-namespace)

namespace {

/// Images [batch, 28, 28, 1], labels [batch].
TPUEstimatorSpec cnn_model_fn(const ModelFnArgs& args) {
  const bool training = args.mode == ModeKeys::train;
  Sequential net({Conv2D(32, {5, 5}, {.padding = "same", .activation = "relu"}),
                  MaxPooling2D({.pool_size = {2, 2}}),
                  Conv2D(64, {5, 5}, {.padding = "same", .activation = "relu"}),
                  MaxPooling2D({.pool_size = {2, 2}}), Flatten(),
                  Dense(512, {.activation = "relu"}), Dropout(0.4), Dense(10)});
  const Tensor logits = net(args.features.tensor(), {.training = training});
  const Tensor classes = ops::argmax(logits, -1);
  if (args.mode == ModeKeys::predict) {
    return {.mode = args.mode,
            .predictions = Nest{{"classes", classes}, {"probabilities", ops::softmax(logits)}}};
  }
  const Tensor labels = args.labels.tensor();
  const Tensor loss = estimator::losses::sparse_softmax_cross_entropy(labels, logits);
  if (args.mode == ModeKeys::eval) {
    const auto metric_fn = [](const HostTensors& t) -> EvalMetricOps {
      return {{"accuracy", estimator::metrics::accuracy(t.at("labels"), t.at("classes"))}};
    };
    return {.mode = args.mode,
            .loss = loss,
            .eval_metrics = EvalMetrics{metric_fn, {{"labels", labels}, {"classes", classes}}}};
  }
  train::AdamOptimizer optimizer(args.params.get<double>("learning_rate"));
  return {.mode = args.mode,
          .loss = loss,
          .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
}

/// All images: once for evaluation, repeated and reshuffled for training.
InputFn input_fn(const Tensor& x, const Tensor& y) {
  return [x, y](const InputFnArgs& args) -> InputData {
    auto dataset = data::Dataset::from_tensor_slices(x, y);
    if (args.mode == ModeKeys::train) dataset = dataset.shuffle(x.shape()[0]).repeat();
    return dataset.batch(args.params.get<int64_t>("batch_size"),
                         {.drop_remainder = args.mode == ModeKeys::train});
  };
}

}  // namespace

int main(int argc, char** argv) {
  std::string data_folder;
  std::string model_dir;
  ExampleOptions options{
      .about = "MNIST with a TPUEstimator.",
      .epochs = 2,
      .extras = {
          {"--data", &data_folder,
           "Folder with the four IDX files; default: $ANTLER_DATASETS, the cache, or a download"},
          {"--model-dir", &model_dir, "Folder of checkpoints; default: a temporary one"}}};
  return run_example(argc, argv, options, [&] {
    auto [train, test] = data::mnist({.directory = data_folder});
    constexpr int64_t kBatch = 128;
    TPUEstimator classifier(cnn_model_fn,
                            {.model_dir = model_dir,
                             .config = tpu::RunConfig({.tpu_config = {{.iterations_per_loop = 100}},
                                                       .base = {.save_checkpoints_steps = 500}}),
                             .params = {{"learning_rate", 1e-3}},
                             .use_tpu = false,
                             .train_batch_size = kBatch,
                             .eval_batch_size = 1000,
                             .predict_batch_size = 10});
    classifier.train(input_fn(train.x, train.y),
                     {.steps = train.x.shape()[0] / kBatch * options.epochs});
    const EvalResult result = classifier.evaluate(input_fn(test.x, test.y));
    std::printf("test accuracy: %.4f\n", result.at("accuracy").item());
    int shown = 0;
    for (const Nest& prediction :
         classifier.predict(input_fn(test.x[Slice(10)], test.y[Slice(10)]))) {
      std::printf("image %d shows a %d\n", shown++, prediction.at("classes").tensor().item<int>());
    }
  });
}
