// Forecasts a day of an hourly series from the week before it, with a temporal convolutional
// network: causal convolutions whose dilation doubles, so that the last one sees all of the week.
// The series is generated: a daily and a weekly rhythm, a slow drift, and noise.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr int64_t kPast = 168;
constexpr int64_t kFuture = 24;

std::vector<float> make_series(int64_t hours) {
  gallery::Random random(1);
  std::vector<float> series;
  double drift = 0;
  double noise = 0;
  for (int64_t t = 0; t < hours; ++t) {
    const double hour = static_cast<double>(t % 24);
    const bool weekend = t / 24 % 7 >= 5;
    drift += 0.01 * random.normal();
    noise = 0.8 * noise + 0.1 * random.normal();
    const double day = std::exp(-std::pow((hour - 8) / 2, 2)) +
                       (weekend ? 0.3 : 1.2) * std::exp(-std::pow((hour - 18) / 3, 2));
    series.push_back(static_cast<float>(day + drift + noise));
  }
  return series;
}

/// Windows of the past [n, kPast, 1] and the hours that follow each [n, kFuture], both relative to
/// the mean of the past, so that the network need not learn the drift.
data::Split windows(const Tensor& series) {
  const int64_t n = series.dim(0) - kPast - kFuture + 1;
  const Tensor index = ops::iota({n, kPast + kFuture}, 0) + ops::iota({n, kPast + kFuture}, 1);
  const Tensor all = ops::take(series, index, 0);
  const Tensor past = all[{Slice(), Slice(kPast)}];
  const Tensor level = ops::mean(past, 1, kw::keepdims = true);
  return {(past - level)[{Slice(), Slice(), None}], all[{Slice(), Slice(kPast, None)}] - level};
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/10, [](int64_t epochs) {
    const Tensor series = Tensor::of(make_series(60 * kPast));
    const int64_t split = series.dim(0) * 4 / 5;
    const data::Split train = windows(series[Slice(split)]);
    const data::Split test = windows(series[Slice(split, None)]);

    const Tensor past = Input({kPast, 1});
    Tensor x = Conv1D(24, 1)(past);
    for (int64_t dilation = 1; dilation <= 32; dilation *= 2) {
      const Tensor h = Conv1D(24, 3, kw::padding = "causal", kw::dilation_rate = {dilation},
                              kw::activation = "relu")(x);
      x = Add()({x, Conv1D(24, 1)(h)});
    }
    x = Dense(kFuture)(Dropout(0.1)(x[{Slice(), -1}]));
    Model model(past, x);
    model.compile(optimizers::Adam(3e-3), losses::Huber(), kw::metrics = {"mae"});
    model.fit(train.x, train.y, kw::batch_size = 64, kw::epochs = epochs, kw::verbose = 2);

    const Tensor forecast = model.predict(test.x, kw::verbose = 0);
    io::LineChart chart{.title = "one day ahead", .x_label = "hour"};
    const auto add = [&](const char* name, const Tensor& y, double from) {
      chart.series.push_back({.name = name, .y = y.to_doubles()});
      for (size_t i = 0; i < chart.series.back().y.size(); ++i)
        chart.series.back().x.push_back(from + static_cast<double>(i));
    };
    add("past", test.x[{500, Slice(-48, None), 0}], -48);
    add("future", test.y[500], 0);
    add("forecast", forecast[500], 0);
    gallery::save_chart("time_series_forecast.png", {chart});

    const auto error = [&](const Tensor& y) { return ops::mean(ops::abs(test.y - y)).item(); };
    std::printf("mean absolute error: %.4f (as yesterday: %.4f, as a week ago: %.4f)\n",
                error(forecast), error(test.x[{Slice(), Slice(-24, None), 0}]),
                error(test.x[{Slice(), Slice(24), 0}]));
  });
}
