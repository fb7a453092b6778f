#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/runtime/config.h"
#include "antler/runtime/profiler.h"
#include "antler/training/saving.h"
#include "command_line/command.h"
#include "input/data_arguments.h"
#include "input/model_data.h"
#include "models/device.h"
#include "models/model_file.h"

namespace antler::cli {
namespace {

struct BenchSettings {
  std::string model;
  DataArguments data;
  int64_t batch_size = 32;
  int64_t steps = 50;
  bool json = false;
  std::string profile;
};

double seconds_of(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Shape batch_shape(const Tensor& placeholder, int64_t rows) {
  Shape shape = placeholder.shape();
  if (shape.rank() > 0) shape[0] = rows;
  for (int i = 1; i < shape.rank(); ++i) {
    if (shape[i] == Shape::kUnknown) shape[i] = 64;
  }
  return shape;
}

/// Inputs for a model: numbers in [0, 1) for float32, ones for other dtypes (tokens, categories).
Nest synthetic_inputs(const Model& model, int64_t rows) {
  Tensors leaves;
  if (model.inputs().empty()) {
    throw ValueError("The shapes of the model's inputs are unknown: give DATA.");
  }
  for (const Tensor& input : model.inputs()) {
    Tensor leaf = Tensor::full(input.dtype(), batch_shape(input, rows), 1.0);
    if (leaf.dtype() == DType::float32) {
      float* to = leaf.mutable_data<float>();
      for (int64_t i = 0; i < leaf.size(); ++i) to[i] = static_cast<float>(i * 7919 % 1024) / 1024;
    }
    leaves.push_back(std::move(leaf));
  }
  return model.input().pack(leaves);
}

/// Zeros as targets, in the form that the model's loss needs.
Nest synthetic_targets(const Model& model, int64_t rows) {
  const std::string loss = model.get_compile_config().value("loss", Json()).dump();
  const bool sparse = loss.find("parse") != std::string::npos;
  Tensors leaves;
  for (const Tensor& output : model.outputs()) {
    Shape shape = batch_shape(output, rows);
    if (sparse) shape = Shape(shape.begin(), shape.end() - 1);
    leaves.push_back(Tensor::zeros(sparse ? DType::int32 : DType::float32, shape));
  }
  return model.output().pack(leaves);
}

/// Measures how fast the data can be read without a model.
Json measure_data(const BenchSettings& s, const Samples& samples) {
  if (!samples.batches) return nullptr;
  int64_t batches = 0;
  int64_t rows = 0;
  const auto elements = samples.batches->iterate();
  Nest batch;
  elements->next(batch);  // starts the threads
  const double seconds = seconds_of([&] {
    while (batches < s.steps && elements->next(batch)) {
      ++batches;
      rows += batch.flatten()[0].shape()[0];
    }
  });
  if (batches == 0) return nullptr;
  return {{"samples_per_second", static_cast<double>(rows) / seconds},
          {"batches_per_second", static_cast<double>(batches) / seconds}};
}

/// Profiles `steps`. Writes a trace file and prints a table of kernels.
void profile_steps(const BenchSettings& s, const std::function<void()>& steps) {
  if (s.profile.empty()) return;
  Profiler profiler;
  steps();
  const Profile profile = profiler.stop();
  profile.write_trace(s.profile);
  if (!s.json) std::printf("%s", profile.table(measure_machine_limits()).c_str());
}

int run_bench(const BenchSettings& s) {
  if (s.data.threads > 0) config::set_threads(s.data.threads);
  Model model = open_model(s.model);
  Nest x;
  Nest y;
  Json result = {{"model", s.model}, {"batch_size", s.batch_size}, {"threads", config::threads()}};
  if (s.data.path.empty()) {
    x = synthetic_inputs(model, s.batch_size);
    if (model.compiled()) y = synthetic_targets(model, s.batch_size);
  } else {
    DataOptions options = data_options_for(model, s.model);
    s.data.apply_to(options);
    options.batch_size = s.batch_size;
    const LoadedData data = load_data(s.data.path, options);
    const auto source = data.samples.inputs(model);
    data::Dataset batches =
        data.samples.batches
            ? *data.samples.batches
            : data::Dataset::from_tensor_slices({source.arrays(), Nest(data.samples.y)})
                  .batch(s.batch_size);
    const Nest first = *batches.begin();
    x = first[0];
    y = first[1];
    result["data"] = measure_data(s, data.samples);
  }
  const auto batch_of = [](const Nest& arrays, int64_t count) {
    return data::Dataset::from_tensors(arrays).repeat(count);
  };
  if (model.compiled()) {
    const auto fit = [&](int64_t steps) {
      model.fit(batch_of(std::vector<Nest>{x, y}, steps), FitOptions{.verbose = 0});
    };
    result["first_step_seconds"] = seconds_of([&] { fit(1); });
    const double seconds = seconds_of([&] { fit(s.steps); });
    const auto steps = static_cast<double>(s.steps);
    result["steps_per_second"] = steps / seconds;
    result["samples_per_second"] = steps * static_cast<double>(s.batch_size) / seconds;
    profile_steps(s, [&] { fit(s.steps); });
  }
  const auto predict = [&] {
    for (int64_t i = 0; i < s.steps; ++i) model.predict_on_batch(x);
  };
  model.predict_on_batch(x);
  const double throughput = seconds_of(predict);
  if (!model.compiled()) profile_steps(s, predict);
  result["predict_samples_per_second"] = static_cast<double>(s.steps * s.batch_size) / throughput;
  // One sample at a time, as on a server.
  const Nest one =
      x.map([](const Tensor& t) { return *data::Dataset::from_tensor_slices(t).batch(1).begin(); });
  model.predict_on_batch(one);
  std::vector<double> latencies;
  for (int64_t i = 0; i < std::max<int64_t>(s.steps, 20); ++i) {
    latencies.push_back(seconds_of([&] { model.predict_on_batch(one); }));
  }
  std::sort(latencies.begin(), latencies.end());
  result["predict_latency_seconds"] = latencies[latencies.size() / 2];
  result["predict_latency_seconds_99"] = latencies[latencies.size() * 99 / 100];
  if (s.json) {
    std::printf("%s\n", result.dump().c_str());
    return 0;
  }
  const auto line = [&](const char* name, const char* key, double factor, const char* unit) {
    if (!result.contains(key)) return;
    std::printf("  %-28s %12.4g %s\n", name, result[key].get<double>() * factor, unit);
  };
  std::printf("%s, batches of %lld, %d threads\n", s.model.c_str(),
              static_cast<long long>(s.batch_size), config::threads());
  line("first training step", "first_step_seconds", 1, "s, compilation included");
  line("training", "steps_per_second", 1, "steps/s");
  line("", "samples_per_second", 1, "samples/s");
  line("prediction", "predict_samples_per_second", 1, "samples/s");
  line("latency, one sample", "predict_latency_seconds", 1e3, "ms");
  line("  99th percentile", "predict_latency_seconds_99", 1e3, "ms");
  if (result.contains("data") && result["data"].is_object()) {
    const double rate = result["data"]["samples_per_second"].get<double>();
    std::printf("  %-28s %12.4g samples/s\n", "reading the data", rate);
    if (result.contains("samples_per_second")) {
      std::printf("  %-28s %12.3gx\n", "  relative to training",
                  rate / result["samples_per_second"].get<double>());
    }
  }
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measures how fast a model trains and predicts; does not change the model file");
  const auto s = std::make_shared<BenchSettings>();
  command->add_option("model", s->model, kModelHelp)->required();
  add_data_arguments(*command, s->data,
                     "As for fit; reading it is measured too. Default: synthetic data");
  add_batch_size(*command, s->batch_size);
  command->add_option("--steps", s->steps, "Number of measured steps")
      ->capture_default_str()
      ->check(positive_integer());
  add_device_option(*command);
  command->add_option(
      "--profile", s->profile,
      "Print the time of each kernel in a training step (or a prediction, if the model is not "
      "compiled), and write all runs to this file as trace events for Perfetto");
  command->add_flag("--json", s->json, "Print only one line of JSON");
  command->callback([&run, s] { run = [s] { return run_bench(*s); }; });
}

}  // namespace antler::cli
