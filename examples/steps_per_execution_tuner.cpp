// StepsPerExecutionTuner in a custom training loop. A thread measures the loop's throughput and
// sets the number of steps per call.

#include <cstdio>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  double interval = 0.05;
  ExampleOptions options{
      .about = "StepsPerExecutionTuner in a custom loop on the UCI handwritten digits.",
      .epochs = 60,
      .extras = {{"--interval", &interval, "Seconds between two measurements"}}};
  return run_example(argc, argv, options, [&] {
    auto [train, test] = data::digits();
    const Tensor inputs = Input({8, 8, 1}, kw::name = "digits");
    Tensor h = Flatten()(inputs);
    h = Dense(64, kw::activation = "relu", kw::name = "dense_1")(h);
    h = Dense(64, kw::activation = "relu", kw::name = "dense_2")(h);
    Model model(inputs, Dense(10, kw::name = "predictions")(h));
    optimizers::SGD optimizer(kw::learning_rate = 0.05);
    const Loss loss_fn = losses::SparseCategoricalCrossentropy(kw::from_logits = true);
    metrics::Mean mean_loss(kw::name = "loss");

    const Function step = tf::function(Function::Body([&](const Nest& batch) -> Nest {
      GradientTape tape;
      const Tensor logits = model(batch[0].tensor(), kw::training = true);
      const Tensor loss = loss_fn(batch[1], logits);
      optimizer.minimize(loss, model.trainable_variables(), tape);
      mean_loss.update_state(loss);
      return Nest::dict({{"loss", mean_loss.result()}});
    }));

    const auto source = data::array_source(train.x, train.y, {}, kw::batch_size = 8,
                                           kw::shuffle = true, kw::seed = options.seed);
    StepRunner runner(step, *source);
    StepsPerExecution steps_per_execution;
    StepsPerExecutionTuner tuner(optimizer, steps_per_execution, kw::interval = interval,
                                 kw::change_spe_interval = 2);
    tuner.start();
    for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
      source->reset();
      mean_loss.reset_state();
      Nest logs;
      while (runner.run(steps_per_execution, logs) > 0) {
      }
      if ((epoch + 1) % 10 == 0) {
        std::printf("epoch %2lld  loss %.4f  steps per execution %lld\n",
                    static_cast<long long>(epoch + 1), Logs(logs).at("loss"),
                    static_cast<long long>(steps_per_execution.value()));
      }
    }
    tuner.stop();
  });
}
