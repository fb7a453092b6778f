#include "latency.h"

#include <functional>

#include "cases.h"

namespace antler::bench {
namespace {

/// Median over many calls, as the peers' run_latency.
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
  const std::string suffix = "_b" + std::to_string(batch);
  const double latency = median(times);
  emit(context, metric + "_latency" + suffix, latency * 1e6, "us",
       ", \"repeats\": " + std::to_string(times.size()));
  emit(context, metric + "_throughput" + suffix, static_cast<double>(batch) / latency, "samples/s");
}

void run_latency(const Context& context, const Case& c) {
  const int64_t many = 256 * 40;
  const Tensor x = make_data(c, many).x;
  Model model = c.build();
  model.compile(compile_arguments(c));
  for (const int64_t batch : {1, 256}) {
    const Tensor some = ops::slice_axis(x, 0, 0, batch);
    measure(context, c.name + "_predict", batch,
            [&] { model.predict(some, {.batch_size = batch, .verbose = 0}); });
    measure(context, c.name + "_predict_on_batch", batch, [&] { model.predict_on_batch(some); });
    measure(context, c.name + "_call", batch, [&] { (void)model(some, {.training = false}); });
  }
  measure(context, c.name + "_predict_many", many,
          [&] { model.predict(x, {.batch_size = 256, .verbose = 0}); });
}

}  // namespace

void run_latencies(Context& context) {
  for (const char* name : {"mlp", "cnn"}) run_latency(context, *find_case(name));
}

}  // namespace antler::bench
