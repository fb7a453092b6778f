#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/core/device_value.h"
#include "antler/core/variable_shards.h"
#include "pjrt/lowering/mesh.h"
#include "pjrt/mirrored_value.h"
#include "pjrt/plugin_device.h"
#include "support/meshes.h"
#include "support/op_harness.h"

// A distribution over the devices of a plug-in gives the same results as one device.
namespace antler::pjrt {
namespace {

using distribution::DataParallel;
using distribution::DeviceMesh;
using distribution::Distribution;
using test::Layouts;
using test::mesh;
using test::model_parallel;
using test::Modules;

class MeshOnDevices : public test::OnDevice {
 protected:
  void TearDown() override {
    distribution::set_distribution(None);
    OnDevice::TearDown();
  }

  struct Case {
    std::function<Model()> build;
    Tensor x;
    Tensor y;
    int64_t steps_per_execution = 1;
    int64_t batch_size = 8;
  };

  static Model train(const std::optional<Distribution>& devices, const Case& c, History& history) {
    distribution::set_distribution(devices);
    utils::set_random_seed(5);
    Model model = c.build();
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                   .loss = "mse",
                   .metrics = {"mae"},
                   .steps_per_execution = c.steps_per_execution});
    history = model.fit(c.x, c.y, {.batch_size = c.batch_size, .epochs = 2, .verbose = 0});
    return model;
  }

  /// Trains the case on the CPU and on a mesh of the plug-in, whose module contains `present`.
  /// Returns the second model.
  static Model compare(const Distribution& devices, const Case& c,
                       const std::string& present = "") {
    History expected;
    History actual;
    config::set_device("cpu");
    const Model alone = train(std::nullopt, c, expected);
    config::set_device("pjrt:cpu");
    const Modules modules;
    Model all = train(devices, c, actual);
    const auto count = std::to_string(devices.device_mesh().devices().size());
    EXPECT_TRUE(modules.contain("mhlo.num_partitions = " + count + " "));
    EXPECT_TRUE(modules.contain(present)) << present;
    for (const auto& [name, values] : expected.history) {
      for (size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(actual.history.at(name).at(i), values[i], 1e-5) << name;
    }
    EXPECT_EQ(alone.weights().size(), all.weights().size());
    for (size_t i = 0; i < alone.weights().size(); ++i) {
      SCOPED_TRACE(alone.weights()[i].path());
      test::expect_close(all.weights()[i].value(), alone.weights()[i].value().to_doubles(), 1e-4);
    }
    return all;
  }

  Tensor x_ = test::random_tensor(DType::float32, {48, 6});
  Tensor y_ = test::random_tensor(DType::float32, {48, 4}, -1, 1, 3);
  Tensor words_ = test::random_tensor(DType::int32, {48, 5}, 0, 12, 2);
};

Model two_layers() {
  return Sequential({Input({6}), layers::Dense(8, {.activation = "relu", .name = "up"}),
                     layers::Dense(4, {.name = "down"})});
}

Model table() {
  return Sequential({Input({5}, {.dtype = "int32"}), layers::Embedding(12, 4, {.name = "table"}),
                     layers::GlobalAveragePooling1D(), layers::Dense(4)});
}

/// Where the parts of a divided variable are: the devices of each part.
std::vector<std::vector<int>> devices_of_parts(const Variable& variable) {
  std::vector<std::vector<int>> devices;
  if (variable.shards() == nullptr) return devices;
  for (const Variable& part : variable.shards()->parts) {
    std::vector<int>& list = devices.emplace_back();
    const auto value = device_value(part);
    if (const auto one = std::dynamic_pointer_cast<DeviceBuffer>(value)) {
      list.push_back(one->device());
      EXPECT_EQ(one->spec(), (TensorSpec{part.dtype(), part.shape()}));
    } else if (const auto copies = std::dynamic_pointer_cast<MirroredValue>(value)) {
      for (const BufferPtr& copy : copies->copies()) list.push_back(copy->device());
    }
  }
  return devices;
}

using Places = std::vector<std::vector<int>>;

const Layouts kColumnsThenRows = {
    {".*up/kernel", {None, "model"}}, {".*up/bias", {"model"}}, {".*down/kernel", {"model", None}}};

TEST_F(MeshOnDevices, ADenseLayerByColumnsAndOneByRows) {
  Model all = compare(model_parallel(mesh(1, 4), kColumnsThenRows), {two_layers, x_, y_, 2});
  // Between executions each device has its part, slots included.
  const Places own = {{0}, {1}, {2}, {3}};
  const Variables weights = all.weights();
  for (const size_t i : {0, 1, 2}) EXPECT_EQ(devices_of_parts(weights[i]), own) << i;
  int divided = 0;
  for (const Variable& slot : all.optimizer().variables())
    divided += devices_of_parts(slot) == own ? 1 : 0;
  EXPECT_EQ(divided, 6) << "momentum and velocity of three weights";
  // The same without training.
  const Tensor predicted = all.predict(x_, {.batch_size = 16, .verbose = 0}).tensor();
  EXPECT_EQ(devices_of_parts(weights[0]), own);
  test::expect_close(predicted, all(x_).to_doubles(), 1e-5);  // which one device computes
}

TEST_F(MeshOnDevices, ConvolutionsWithGroupsOnTwoAxes) {
  const auto build = [] {
    return Sequential({Input({6, 6, 2}), layers::Conv2D(4, 3), layers::DepthwiseConv2D(2),
                       layers::Conv2D(4, 2, {.groups = 2}), layers::Flatten(),
                       layers::Dense(4, {.name = "up"})});
  };
  compare(model_parallel(mesh(2, 2), {{".*up/kernel", {None, "model"}}}),
          {build, test::random_tensor(DType::float32, {16, 6, 6, 2}),
           test::random_tensor(DType::float32, {16, 4}, -1, 1, 3)});
}

TEST_F(MeshOnDevices, AnEmbeddingByRows) {
  const Model all = compare(model_parallel(mesh(1, 4), {{".*table/embeddings", {"model", None}}}),
                            {table, words_, y_});
  EXPECT_EQ(devices_of_parts(all.weights()[0]), (Places{{0}, {1}, {2}, {3}}));
}

TEST_F(MeshOnDevices, BatchesKernelsAndLayersAreDivided) {
  const Layouts layouts = {{".*up/kernel", {None, "model"}},
                           {".*down/kernel", {"model", "batch"}},
                           {".*up/output", {"batch", "model"}}};
  const Model all = compare(model_parallel(mesh(2, 4), layouts), {two_layers, x_, y_, 3},
                            "sharding = #sdy.sharding<@mesh, [{\"batch\"}, {\"model\"}]>");
  EXPECT_EQ(devices_of_parts(all.weights()[0]), (Places{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(devices_of_parts(all.weights()[2]), (Places{{0}, {4}, {1}, {5}, {2}, {6}, {3}, {7}}));
}

// The last batch does not divide: it is whole on all devices.
TEST_F(MeshOnDevices, DataParallelOnAMeshOfTwoAxes) {
  const Tensor x = ops::slice_axis(x_, 0, 0, 45);
  const Tensor y = ops::slice_axis(y_, 0, 0, 45);
  config::set_device("pjrt:cpu");
  EXPECT_EQ(distribution::list_devices(), mesh(2, 4).devices());
  compare(DataParallel({.device_mesh = mesh(2, 4)}), {two_layers, x, y},
          "tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"batch\"}, {}]>}");
}

// Random numbers equal those of one device, and statistics are taken over the whole batch.
TEST_F(MeshOnDevices, DropoutAndBatchNormalization) {
  const auto build = [] {
    return Sequential({Input({6}), layers::Dense(8, {.use_bias = false}),
                       layers::BatchNormalization(), layers::Dropout(0.25), layers::Dense(4)});
  };
  compare(model_parallel(mesh(2, 2), {{"dense.*/kernel", {None, "model"}}}), {build, x_, y_});
}

// The host reads and assigns whole variables between executions; the CPU goes on.
TEST_F(MeshOnDevices, TheHostReadsAndAssigns) {
  const auto twice = [&](const std::string& first, const std::string& second) {
    config::set_device(first);
    const auto devices = model_parallel(mesh(2, 4), {{".*kernel", {None, "model"}}});
    History history;
    Model model = train(devices, {two_layers, x_, y_}, history);
    const FitOptions options{.batch_size = 8, .verbose = 0};
    const Variable kernel = model.weights()[0];
    kernel.assign(ops::multiply(kernel.value(), 0.5F));
    model.fit(x_, y_, options);
    config::set_device(second);
    model.fit(x_, y_, options);
    return model.get_weights();
  };
  const Tensors expected = twice("cpu", "cpu");
  const Tensors actual = twice("pjrt:cpu", "cpu");
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    test::expect_close(actual[i], expected[i].to_doubles(), 1e-4);
}

// distribute_tensor and distribute_variable alone, as Keras's distributions in Python use them.
TEST_F(MeshOnDevices, LayoutsWithoutADistribution) {
  const distribution::TensorLayout rows({"batch", None}, mesh(2, 4));
  const distribution::TensorLayout columns({None, "model"}, mesh(2, 4));
  const Variable kernel(test::random_tensor(DType::float32, {6, 8}));
  distribution::distribute_variable(kernel, columns);
  const Function f([&](const Nest& x) {
    Tensor y = ops::matmul(distribution::distribute_tensor(x.tensor(), rows), kernel.value());
    kernel.assign_sub(ops::multiply(kernel.value(), 0.5F));
    return y;
  });
  const Tensor expected = ops::matmul(x_, kernel.value());
  const Modules modules;
  test::expect_close(f(x_).tensor(), expected.to_doubles(), 1e-5);
  EXPECT_TRUE(modules.contain("mhlo.num_partitions = 8 "));
  EXPECT_EQ(devices_of_parts(kernel), (Places{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  test::expect_close(ops::matmul(x_, kernel.value()), ops::multiply(expected, 0.5F).to_doubles(),
                     1e-5);
}

TEST_F(MeshOnDevices, NamesOfAxesMustSuitPrograms) {
  const DeviceMesh quoted({2}, {"\"a, b\""}, {"cpu:0", "cpu:1"});
  EXPECT_THROW(DataParallel({.device_mesh = quoted}), ValueError);
}

TEST_F(MeshOnDevices, TooFewDevices) {
  std::string warning;
  logging::set_warning_sink([&](std::string_view text) { warning += text; });
  distribution::set_distribution(model_parallel(mesh(4, 4), kColumnsThenRows));
  Model model = two_layers();
  const Tensor predicted = model.predict(x_, {.batch_size = 48, .verbose = 0}).tensor();
  logging::set_warning_sink({});
  EXPECT_NE(warning.find("A mesh of 16 devices needs 16 devices"), std::string::npos) << warning;
  test::expect_close(predicted, model(x_).to_doubles(), 1e-5);
}

TEST(MeshLayouts, AsShardyWritesThem) {
  const ops::DeviceGrid grid{{"batch", "model"}, {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}};
  EXPECT_EQ(mesh_text(grid), "sdy.mesh @mesh = <[\"batch\"=2, \"model\"=4]>\n");
  EXPECT_EQ(sharding_text(grid, {}), "#sdy.sharding<@mesh, []>");
  EXPECT_EQ(sharding_text(grid, {-1, 1}), "#sdy.sharding<@mesh, [{}, {\"model\"}]>");
  EXPECT_EQ(part_of({DType::float32, {8, 6}}, grid, {1, 0}), (TensorSpec{DType::float32, {2, 3}}));
  EXPECT_EQ(part_of_device(grid, {1, 0}, 6), 5);
}

}  // namespace
}  // namespace antler::pjrt
