// Anomaly detection in a sensor signal: an autoencoder is trained on normal data only. A window
// that it cannot reconstruct is an anomaly. The signal is generated.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr int64_t kWindow = 64;

struct Signal {
  Tensor windows;              ///< [n, kWindow, 1]
  std::vector<bool> abnormal;  ///< [n]
};

/// Two oscillations with random phase and amplitude, plus noise. An anomaly is a peak, a weak phase
/// or a wrong frequency somewhere in the window.
Signal make_signal(int64_t n, double anomalies, unsigned seed) {
  gallery::Random random(seed);
  std::vector<float> values;
  std::vector<bool> abnormal;
  for (int64_t i = 0; i < n; ++i) {
    abnormal.push_back(random.chance(anomalies));
    const int64_t kind = abnormal.back() ? random.below(3) : -1;
    const int64_t from = random.below(kWindow - 12);
    const float strength = random.uniform(0.8, 1.2);
    const float phase = random.uniform(0, 6.28);
    const float ripple = random.uniform(0, 6.28);
    for (int64_t t = 0; t < kWindow; ++t) {
      const bool here = t >= from && t < from + 12;
      const auto time = static_cast<float>(t);
      float v = strength * std::sin(0.3F * time + phase) + 0.4F * std::sin(0.9F * time + ripple);
      if (kind == 0 && t == from) v += 0.7F;
      if (kind == 1 && here) v *= 0.7F;
      if (kind == 2 && here) v += 0.3F * std::sin(1.7F * time);
      values.push_back(v + 0.1F * random.normal());
    }
  }
  return {Tensor::of(values, {n, kWindow, 1}), abnormal};
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/30, [](int64_t epochs) {
    const Signal train = make_signal(4000, 0, 1);
    const Signal test = make_signal(2000, 0.1, 2);

    Sequential model(
        {Input({kWindow, 1}),
         Conv1D(16, 7, kw::strides = {2}, kw::padding = "same", kw::activation = "relu"),
         Conv1D(16, 7, kw::strides = {2}, kw::padding = "same", kw::activation = "relu"), Flatten(),
         Dense(8), Dense(256, kw::activation = "relu"), Reshape({16, 16}),
         Conv1DTranspose(16, 7, kw::strides = {2}, kw::padding = "same", kw::activation = "relu"),
         Conv1DTranspose(1, 7, kw::strides = {2}, kw::padding = "same")});
    model.compile(optimizers::Adam(2e-3), "mse");
    model.fit(train.windows, train.windows, kw::batch_size = 64, kw::epochs = epochs,
              kw::verbose = 2);

    // A window raises an alarm if its largest error exceeds that of 99 % of the normal windows.
    const auto errors = [&](const Tensor& x) {
      const Tensor error = ops::abs(x - model.predict(x, kw::verbose = 0));
      return ops::max(error, {1, 2});
    };
    const Tensor test_errors = errors(test.windows);
    const double threshold = ops::quantile(errors(train.windows), 0.99).item();
    int64_t alarms = 0, right = 0, all = 0, first = -1;
    for (size_t i = 0; i < test.abnormal.size(); ++i) {
      const bool alarm = static_cast<double>(test_errors.data<float>()[i]) > threshold;
      alarms += alarm ? 1 : 0;
      all += test.abnormal[i] ? 1 : 0;
      right += alarm && test.abnormal[i] ? 1 : 0;
      if (first < 0 && alarm && test.abnormal[i]) first = static_cast<int64_t>(i);
    }
    if (first >= 0) {
      const Tensor window = test.windows[Slice(first, first + 1)];
      const std::vector<double> x = ops::arange(kWindow).to_doubles();
      const Tensor restored = model.predict(window, kw::verbose = 0);
      gallery::save_chart("anomaly_detection.png",
                          {{.title = "an anomaly",
                            .x_label = "time",
                            .series = {{"signal", x, window.to_doubles()},
                                       {"restored", x, restored.to_doubles()}}}});
    }
    metrics::AUC auc;
    std::vector<float> truth(test.abnormal.begin(), test.abnormal.end());
    auc.update_state(Tensor::of(truth), test_errors / ops::max(test_errors));
    std::printf("found %lld of %lld anomalies, %lld false alarms, AUC: %.4f\n",
                static_cast<long long>(right), static_cast<long long>(all),
                static_cast<long long>(alarms - right), float(auc.result()));
  });
}
