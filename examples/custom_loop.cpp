// A custom training loop: gradient tape, optimizer, and many steps per call of a compiled function.
// The number of steps per call is an ordinary variable; changing it does not retrace or recompile.

#include <cstdio>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  int64_t steps_per_execution = 15;
  ExampleOptions options{
      .about = "A custom training loop on the UCI handwritten digits.",
      .epochs = 20,
      .extras = {{"--steps-per-execution", &steps_per_execution, "Steps per call"}}};
  return run_example(argc, argv, options, [&] {
    auto [train, test] = data::digits();
    const Tensor inputs = Input({8, 8, 1}, kw::name = "digits");
    Tensor h = Flatten()(inputs);
    h = Dense(64, kw::activation = "relu", kw::name = "dense_1")(h);
    h = Dense(64, kw::activation = "relu", kw::name = "dense_2")(h);
    Model model(inputs, Dense(10, kw::name = "predictions")(h));

    optimizers::SGD optimizer(kw::learning_rate = 0.1);
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

    const auto source = data::array_source(train.x, train.y, {}, kw::batch_size = 32,
                                           kw::shuffle = true, kw::seed = options.seed);
    StepRunner runner(step, *source);
    for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
      source->reset();
      mean_loss.reset_state();
      Nest logs;
      while (runner.run(steps_per_execution, logs) > 0) {
      }
      std::printf("epoch %2lld  loss %.4f\n", static_cast<long long>(epoch + 1),
                  Logs(logs).at("loss"));
    }

    const Tensor correct =
        ops::equal(ops::argmax(model.predict(test.x, kw::verbose = 0), -1), test.y);
    std::printf("test accuracy: %.4f\n", ops::mean(ops::cast(correct, DType::float32)).item());
  });
}
