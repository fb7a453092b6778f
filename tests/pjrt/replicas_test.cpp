#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/core/device_value.h"
#include "pjrt/mirrored_value.h"
#include "pjrt/plugin_device.h"
#include "support/op_harness.h"

// The replicas of a strategy, each on its own device, give the same results as on the CPU.
namespace antler::pjrt {
namespace {

using test::Modules;

class ReplicasOnDevices : public test::OnDevice, public ::testing::WithParamInterface<int> {
 protected:
  using Build = std::function<Model()>;
  using Fit = std::function<History(Model&)>;

  static int replicas() { return GetParam(); }

  static Model train(const std::string& device, const Build& build, const CompileArguments& compile,
                     const Fit& fit, History& history) {
    config::set_device(device);
    const distribute::MirroredStrategy strategy(replicas());
    const auto scope = strategy.scope();
    utils::set_random_seed(7);
    Model model = build();
    model.compile(compile);
    history = fit(model);
    return model;
  }

  /// Trains a model on the CPU and its twin on the devices; compares losses and weights. No module
  /// may contain `absent`.
  static Model compare(const Build& build, const CompileArguments& compile, const Fit& fit,
                       const std::string& absent = "?") {
    History expected;
    History actual;
    const Model on_cpu = train("cpu", build, compile, fit, expected);
    const Modules modules;
    Model on_devices = train("pjrt:cpu", build, compile, fit, actual);
    EXPECT_TRUE(modules.contain("mhlo.num_replicas = " + std::to_string(replicas())));
    EXPECT_TRUE(modules.contain("stablehlo.all_reduce"));
    EXPECT_FALSE(modules.contain(absent));
    for (const auto& [name, values] : expected.history) {
      SCOPED_TRACE(name);
      const auto& others = actual.history.at(name);
      EXPECT_EQ(values.size(), others.size());
      for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(others[i], values[i], 1e-4);
    }
    EXPECT_EQ(on_cpu.weights().size(), on_devices.weights().size());
    for (size_t i = 0; i < on_cpu.weights().size(); ++i) {
      SCOPED_TRACE(on_cpu.weights()[i].path());
      test::expect_close(on_devices.weights()[i].value(), on_cpu.weights()[i].value().to_doubles(),
                         2e-5);
    }
    return on_devices;
  }

  Tensor x_ = test::random_tensor(DType::float32, {48, 6});
  Tensor y_ = test::random_tensor(DType::int32, {48}, 0, 3, 2);
  Tensor z_ = test::random_tensor(DType::float32, {48, 1}, -1, 1, 3);
};

Model regression() {
  const Tensor inputs = Input({6});
  return Model(inputs, Dense(1)(Dense(16, {.activation = "tanh"})(inputs)));
}

Model noisy_classifier() {
  const Tensor inputs = Input({6});
  Tensor x = Dense(16, {.activation = "relu"})(inputs);
  x = BatchNormalization()(x);
  x = Dropout(0.25)(x);
  return Model(inputs, Dense(3, {.activation = "softmax"})(x));
}

void expect_equal_copies(const Variable& variable, size_t count) {
  SCOPED_TRACE(variable.path());
  const auto value = std::dynamic_pointer_cast<MirroredValue>(device_value(variable));
  ASSERT_NE(value, nullptr);
  ASSERT_EQ(value->copies().size(), count);
  std::vector<std::vector<char>> bytes;
  for (const BufferPtr& copy : value->copies()) {
    bytes.emplace_back(variable.stored().bytes());
    copy->copy_to(bytes.back().data());
    EXPECT_EQ(bytes.back(), bytes[0]);
  }
}

TEST_P(ReplicasOnDevices, Regression) {
  for (const int64_t steps : {1, 2, 100}) {
    SCOPED_TRACE(steps);
    const Model model = compare(
        regression,
        {.optimizer = "adam", .loss = "mse", .metrics = {"mae"}, .steps_per_execution = steps},
        [&](Model& m) { return m.fit(x_, z_, {.batch_size = 16, .epochs = 3, .verbose = 0}); });
    for (const Variable& weight : model.trainable_variables())
      expect_equal_copies(weight, static_cast<size_t>(replicas()));
  }
}

// A device gets only the rows of its replica: no batch of 16 rows is there.
TEST_P(ReplicasOnDevices, DevicesGetTheirRows) {
  const auto set = data::Dataset::from_tensor_slices(std::vector<Nest>{x_, z_}).batch(16);
  for (const int64_t steps : {1, 2}) {
    compare(
        regression, {.optimizer = "adam", .loss = "mse", .steps_per_execution = steps},
        [&](Model& m) { return m.fit(set, {.epochs = 2, .verbose = 0}); }, "tensor<16x6xf32>");
    compare(
        regression, {.optimizer = "adam", .loss = "mse", .steps_per_execution = steps},
        [&](Model& m) { return m.fit(x_, z_, {.batch_size = 16, .epochs = 2, .verbose = 0}); },
        "tensor<16x6xf32>");
  }
}

TEST_P(ReplicasOnDevices, DropoutAndBatchNormalization) {
  const Model model = compare(
      noisy_classifier,
      {.optimizer = "rmsprop",
       .loss = "sparse_categorical_crossentropy",
       .metrics = {"accuracy"},
       .steps_per_execution = 3},
      [&](Model& m) { return m.fit(x_, y_, {.batch_size = 16, .epochs = 2, .verbose = 0}); });
}

TEST_P(ReplicasOnDevices, SynchronizedBatchNormalization) {
  compare(
      [] {
        const Tensor inputs = Input({6});
        const Tensor x = BatchNormalization({.synchronized = true})(Dense(8)(inputs));
        return Model(inputs, Dense(1)(x));
      },
      {.optimizer = "sgd", .loss = "mse"},
      [&](Model& m) { return m.fit(x_, z_, {.batch_size = 16, .epochs = 2, .verbose = 0}); });
}

TEST_P(ReplicasOnDevices, ClippedGradientsAndWeightedSamples) {
  const Tensor weights = test::random_tensor(DType::float32, {48}, 0, 1, 4);
  compare(regression, {.loss = "mse"}, [&](Model& m) {
    m.compile({.optimizer = optimizers::Adam({.global_clipnorm = 0.1}),
               .loss = "mse",
               .weighted_metrics = {"mae"},
               .steps_per_execution = 2});
    return m.fit(x_, z_, {.batch_size = 16, .epochs = 2, .verbose = 0, .sample_weight = weights});
  });
}

TEST_P(ReplicasOnDevices, AccumulatedGradients) {
  compare(regression, {.loss = "mse"}, [&](Model& m) {
    m.compile({.optimizer = optimizers::Adam({.gradient_accumulation_steps = 2}),
               .loss = "mse",
               .steps_per_execution = 3});
    return m.fit(x_, z_, {.batch_size = 16, .epochs = 2, .verbose = 0});
  });
}

// The last batch runs on one device: variables move there and back.
TEST_P(ReplicasOnDevices, UnevenLastBatch) {
  compare(regression, {.optimizer = "adam", .loss = "mse", .steps_per_execution = 2},
          [&](Model& m) { return m.fit(x_, z_, {.batch_size = 32, .epochs = 1, .verbose = 0}); });
  compare(noisy_classifier, {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"},
          [&](Model& m) {
            const Tensor x = ops::slice_axis(x_, 0, 0, 45);
            const Tensor y = ops::slice_axis(y_, 0, 0, 45);
            return m.fit(x, y, {.batch_size = 16, .epochs = 3, .verbose = 0});
          });
}

TEST_P(ReplicasOnDevices, DataSets) {
  const auto set = data::Dataset::from_tensor_slices(std::vector<Nest>{x_, z_}).batch(16);
  compare(regression, {.optimizer = "adam", .loss = "mse", .steps_per_execution = 4},
          [&](Model& m) { return m.fit(set, {.epochs = 2, .verbose = 0}); });
}

TEST_P(ReplicasOnDevices, EvaluateAndPredict) {
  const auto run = [&](const std::string& device, Tensor& prediction) {
    config::set_device(device);
    const distribute::MirroredStrategy strategy(replicas());
    const auto scope = strategy.scope();
    utils::set_random_seed(7);
    Model model = regression();
    model.compile({.loss = "mse", .metrics = {"mae"}, .steps_per_execution = 2});
    prediction = model.predict(x_, {.batch_size = 16, .verbose = 0}).tensor();
    return model.evaluate(x_, z_, {.batch_size = 16, .verbose = 0});
  };
  Tensor expected;
  Tensor actual;
  const Logs on_cpu = run("cpu", expected);
  const Modules modules;
  const Logs on_devices = run("pjrt:cpu", actual);
  EXPECT_TRUE(modules.contain("mhlo.num_replicas"));
  test::expect_close(actual, expected.to_doubles(), 1e-5);
  EXPECT_NEAR(on_devices.at("loss"), on_cpu.at("loss"), 1e-5);
  EXPECT_NEAR(on_devices.at("mae"), on_cpu.at("mae"), 1e-5);
}

TEST_P(ReplicasOnDevices, VariablesChangeBetweenFits) {
  compare(regression, {.optimizer = "adam", .loss = "mse"}, [&](Model& m) {
    const FitOptions options{.batch_size = 16, .epochs = 2, .verbose = 0};
    m.fit(x_, z_, options);
    for (const Variable& weight : m.trainable_variables())
      weight.assign(ops::multiply(weight.value(), 0.5F));
    return m.fit(x_, z_, options);
  });
}

// A model trained by fit() on several devices can be trained further on the CPU.
TEST_P(ReplicasOnDevices, TheCpuTakesOver) {
  compare(regression, {.optimizer = "adam", .loss = "mse"}, [&](Model& m) {
    const FitOptions options{.batch_size = 16, .epochs = 2, .verbose = 0};
    m.fit(x_, z_, options);
    config::set_device("cpu");
    return m.fit(x_, z_, options);
  });
}

/// Runs a function of the rows of each replica under tracing; returns the results of all.
Tensors run_replicas(int replicas, const Tensor& x,
                     const std::function<Tensors(const Tensor&)>& f) {
  const distribute::MirroredStrategy strategy(replicas);
  const Function step(Function::Body([&](const Nest& batch) {
    Tensors all;
    const auto results = strategy.run([&](const Nest& part) { return Nest(f(part.tensor())); },
                                      strategy.split(batch));
    for (const Nest& nest : results) {
      for (const Tensor& t : nest.flatten()) all.push_back(t);
    }
    return Nest(all);
  }));
  return step(x).flatten();
}

void compare_replicas(int replicas, const Tensor& x,
                      const std::function<Tensors(const Tensor&)>& f) {
  config::set_device("cpu");
  const Tensors expected = run_replicas(replicas, x, f);
  config::set_device("pjrt:cpu");
  const Modules modules;
  const Tensors actual = run_replicas(replicas, x, f);
  EXPECT_TRUE(modules.contain("mhlo.num_replicas"));
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(expected[i].spec(), actual[i].spec());
    test::expect_close(actual[i], expected[i].to_doubles(), 1e-6);
  }
}

TEST_P(ReplicasOnDevices, EachCollective) {
  const auto step = [](const Tensor& x) {
    using ops::ReduceOp;
    const auto id = static_cast<float>(distribute::get_replica_context()->replica_id_in_sync_group);
    const Tensor number = ops::cast(Tensor(id), x.dtype());
    const Tensor y = ops::add(x, number);
    return Tensors{ops::all_reduce(y),
                   ops::all_reduce(y, ReduceOp::mean),
                   ops::all_reduce(y, ReduceOp::max),
                   ops::all_reduce(y, ReduceOp::min),
                   ops::all_gather(y, 0),
                   ops::all_gather(y, 1),
                   ops::greater(y, ops::cast(Tensor(0.5F), y.dtype())),
                   ops::all_gather(ops::greater(y, ops::cast(Tensor(0.5F), y.dtype())), 0),
                   y};
  };
  for (const DType dtype : {DType::float32, DType::float64})
    compare_replicas(replicas(), test::random_tensor(dtype, {16, 3}), step);
}

using ReplicasOnADevice = test::OnDevice;

TEST_F(ReplicasOnADevice, TooFewDevices) {
  std::string warning;
  logging::set_warning_sink([&](std::string_view text) { warning += text; });
  const Tensor x = test::random_tensor(DType::float32, {128});
  config::set_device("cpu");
  const auto step = [](const Tensor& part) { return Tensors{ops::all_reduce(ops::sum(part))}; };
  const Tensors expected = run_replicas(64, x, step);
  config::set_device("pjrt:cpu");
  const Tensors actual = run_replicas(64, x, step);
  logging::set_warning_sink({});
  EXPECT_NE(warning.find("64 replicas need 64 devices"), std::string::npos) << warning;
  EXPECT_NEAR(actual[0].item(), expected[0].item(), 1e-4);
}

// A tape looks into the replicas, so they are merged.
TEST_F(ReplicasOnADevice, ATapeAroundReplicas) {
  const Tensor x = test::random_tensor(DType::float32, {8, 3});
  const distribute::MirroredStrategy strategy(2);
  const Function step(Function::Body([&](const Nest& batch) {
    GradientTape tape;
    tape.watch(batch.tensor());
    const auto results = strategy.run(
        [](const Nest& part) {
          return Nest(ops::all_reduce(ops::sum(ops::square(part.tensor()))));
        },
        strategy.split(batch));
    return Nest(tape.gradient(results[0].tensor(), batch.tensor()));
  }));
  const Tensor twice = step(x).tensor();
  test::expect_close(twice, ops::multiply(x, 2.0F).to_doubles(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Devices, ReplicasOnDevices, ::testing::Values(2, 8));

}  // namespace
}  // namespace antler::pjrt
