// Optimizers and learning-rate schedules on the same network, from the same weights.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

struct Candidate {
  const char* name;
  OptimizerPtr optimizer;
};

Sequential make_model() {
  set_random_seed(1);  // the same weights each time
  return Sequential({Input({8, 8, 1}), Conv2D(16, 3, kw::activation = "relu"), MaxPooling2D(2),
                     Flatten(), Dense(64, kw::activation = "relu"), Dense(10)});
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/20, [](int64_t epochs) {
    namespace schedules = optimizers::schedules;
    const auto [train, test] = data::digits();
    const int64_t batch = 32;
    const int64_t steps = epochs * ((train.x.dim(0) + batch - 1) / batch);
    const std::vector<Candidate> candidates = {
        {"SGD", optimizers::SGD(0.05)},
        {"SGD, momentum", optimizers::SGD(0.05, kw::momentum = 0.9, kw::nesterov = true)},
        {"SGD, momentum, cosine", optimizers::SGD(schedules::CosineDecay(0.1, steps),
                                                  kw::momentum = 0.9, kw::nesterov = true)},
        {"RMSprop", optimizers::RMSprop(1e-3)},
        {"Adam", optimizers::Adam(1e-3)},
        {"Adam, warm-up, cosine",
         optimizers::Adam(schedules::CosineDecay(0.0, steps, kw::warmup_target = 5e-3,
                                                 kw::warmup_steps = steps / 10))},
        {"AdamW, exponential", optimizers::AdamW(schedules::ExponentialDecay(5e-3, steps / 5, 0.5),
                                                 kw::weight_decay = 0.01)},
        {"Lion", optimizers::Lion(3e-4)},
        {"Muon", optimizers::Muon()},
    };
    io::LineChart chart{.title = "training loss", .x_label = "epoch"};
    std::string best;
    double best_accuracy = 0;
    for (const Candidate& candidate : candidates) {
      Sequential model = make_model();
      model.compile(candidate.optimizer,
                    losses::SparseCategoricalCrossentropy(kw::from_logits = true),
                    kw::metrics = {"accuracy"});
      const History history =
          model.fit(train.x, train.y, kw::batch_size = batch, kw::epochs = epochs, kw::verbose = 0);
      const HostLogs result = model.evaluate(test.x, test.y, kw::verbose = 0);
      std::printf("%-22s training loss %.4f  test accuracy %.4f\n", candidate.name,
                  history.history["loss"].back(), result.at("accuracy"));
      io::LineChart::Series curve{.name = candidate.name, .y = history.history["loss"]};
      for (size_t i = 0; i < curve.y.size(); ++i) curve.x.push_back(static_cast<double>(i + 1));
      // The chart has room only for short names.
      if (curve.name.find(',') == std::string::npos) chart.series.push_back(curve);
      if (result.at("accuracy") <= best_accuracy) continue;
      best_accuracy = result.at("accuracy");
      best = candidate.name;
    }
    gallery::save_chart("optimizers_compared.png", {chart});
    std::printf("best: %s, test accuracy: %.4f\n", best.c_str(), best_accuracy);
  });
}
