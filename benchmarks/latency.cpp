#include "latency.h"

#include <functional>

#include "cases.h"

namespace antler::bench {
namespace {

/// Median over many calls, as in run_latency of the peer benchmarks.
void measure(const Context& context, const std::string& metric, int64_t batch,
             const std::function<void()>& call) {
  for (int i = 0; i < 5; ++i) call();
  std::vector<double> times;
  const double begin = now();
  while (times.size() < 20 || (now() - begin < 1 && times.size() < 20000)) {
    const double start = now();
    call();
    times.push_back(now() - start);
  }
  const double latency = median(times);
  emit(context, format("{}_latency_b{}", metric, batch), latency * 1e6, "us",
       format(", \"repeats\": {}", times.size()));
  emit(context, format("{}_throughput_b{}", metric, batch), static_cast<double>(batch) / latency,
       "samples/s");
}

void run_latency(const Context& context, const Case& c) {
  const int64_t many = 256 * 40;
  const Tensor x = make_data(c, many).x;
  Model model = c.build();
  model.compile(compile_arguments(c));
  for (const int64_t batch : {1, 256}) {
    const Tensor samples = ops::slice_axis(x, 0, 0, batch);
    measure(context, c.name + "_predict", batch,
            [&] { model.predict(samples, {.batch_size = batch, .verbose = 0}); });
    measure(context, c.name + "_predict_on_batch", batch, [&] { model.predict_on_batch(samples); });
    measure(context, c.name + "_call", batch, [&] { (void)model(samples, {.training = false}); });
  }
  measure(context, c.name + "_predict_many", many,
          [&] { model.predict(x, {.batch_size = 256, .verbose = 0}); });
}

}  // namespace

void run_latencies(Context& context) {
  for (const char* name : {"mlp", "cnn"}) run_latency(context, *find_case(name));
}

}  // namespace antler::bench
