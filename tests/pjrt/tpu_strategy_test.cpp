#include <gtest/gtest.h>

#include "antler/antler.h"
#include "pjrt/plugin_device.h"
#include "support/op_harness.h"

namespace antler::distribute {
namespace {

/// On the eight virtual devices of the CPU plug-in.
class TPUStrategyTest : public test::OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    config::set_device("cpu");
  }

  Model train(const Strategy& strategy) {
    const auto scope = strategy.scope();
    utils::set_random_seed(3);
    Sequential model({layers::Dense(8, {.activation = "relu"}), layers::Dense(1)});
    model.compile({.optimizer = "adam", .loss = "mse", .steps_per_execution = 2});
    model.fit(x_, y_, {.batch_size = 16, .epochs = 2, .verbose = 0, .shuffle = false});
    return model;
  }

  Tensor x_ = test::random_tensor(DType::float32, {48, 6});
  Tensor y_ = test::random_tensor(DType::float32, {48, 1});
};

TEST_F(TPUStrategyTest, TrainsOnAllDevicesAsOneDoes) {
  const Model one = train(Strategy());
  const TPUClusterResolver resolver("pjrt:cpu");
  EXPECT_EQ(resolver.num_accelerators().at("TPU"), 8);
  EXPECT_EQ(initialize_tpu_system(resolver).devices.size(), 8U);
  std::string programs;
  config::set_dump_sink(
      [&](const std::string&, const std::string&, const std::string& text) { programs += text; });
  const TPUStrategy strategy(resolver);
  EXPECT_EQ(strategy.num_replicas_in_sync(), 8);
  const Model all = train(strategy);
  config::set_dump_sink({});
  EXPECT_NE(programs.find("mhlo.num_replicas = 8"), std::string::npos);
  for (size_t i = 0; i < one.weights().size(); ++i) {
    test::expect_close(all.weights()[i].value(), one.weights()[i].value().to_doubles(), 2e-5);
  }
  shutdown_tpu_system();
  EXPECT_EQ(config::device(), "cpu");
}

TEST_F(TPUStrategyTest, DevicesAndAssignments) {
  const TPUClusterResolver last("pjrt:cpu:6");
  const Topology topology = initialize_tpu_system(last);
  EXPECT_EQ(topology.devices.size(), 2U);
  EXPECT_EQ(TPUStrategy(last).num_replicas_in_sync(), 2);
  const auto assignment = DeviceAssignment::build(topology, 1);
  EXPECT_EQ(
      TPUStrategy(last, {.experimental_device_assignment = assignment}).num_replicas_in_sync(), 1);
  EXPECT_THROW(DeviceAssignment::build(topology, 3), ValueError);
  // The device that is set is the default.
  EXPECT_EQ(TPUClusterResolver().device(), "pjrt:cpu:6");
}

TEST_F(TPUStrategyTest, WrongUse) {
  EXPECT_EQ(TPUClusterResolver("local").device(), "pjrt:tpu");
  EXPECT_THROW(TPUClusterResolver("grpc://10.0.0.2:8470"), NotImplementedError);
  EXPECT_THROW(TPUStrategy(TPUClusterResolver("pjrt:cpu")), RuntimeError);
  EXPECT_THROW(initialize_tpu_system(TPUClusterResolver("pjrt:nowhere")), NotFoundError);
  EXPECT_THROW(initialize_tpu_system(TPUClusterResolver("pjrt:cpu:8")), NotFoundError);
  EXPECT_EQ(config::device(), "cpu");
}

}  // namespace
}  // namespace antler::distribute
