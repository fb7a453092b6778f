#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/antler.h"
#include "support/worker_group.h"

namespace antler {
namespace {

using distribution::Distribution;

Tensor pattern(const Shape& shape, int64_t factor) {
  Tensor t = Tensor::empty(DType::float32, shape);
  for (int64_t i = 0; i < t.size(); ++i)
    t.mutable_data<float>()[i] = static_cast<float>(i * factor % 11) * 0.1F - 0.5F;
  return t;
}

std::vector<double> trained(const std::optional<Distribution>& devices) {
  distribution::set_distribution(devices);
  set_random_seed(5);
  Sequential model(
      {Input({3}), Dense(4, {.activation = "tanh", .name = "up"}), BatchNormalization(), Dense(2)});
  model.compile("adam", "mse");
  model.fit(pattern({10, 3}, 7), pattern({10, 2}, 5), kw::batch_size = 4, kw::epochs = 2,
            kw::verbose = 0);
  distribution::set_distribution(None);
  std::vector<double> weights;
  for (const Tensor& t : model.get_weights()) {
    for (const double v : t.to_doubles()) weights.push_back(v);
  }
  return weights;
}

TEST(DistributionWorkers, SpreadOverTheDevicesOfAllProcesses) {
  const auto group = test::run_in_workers(2);
  if (group == nullptr) return;
  const std::vector<double> alone = trained(std::nullopt);
  distribution::initialize(
      {.job_addresses = "a:1,b:1", .num_processes = 2, .process_id = group->rank()},
      [&](const distribution::Processes& processes) {
        EXPECT_EQ(processes.process_id, group->rank());
        return group;
      });
  distribution::set_cpu_devices(2);
  EXPECT_EQ(distribution::get_device_count(), 4);

  const distribution::DataParallel data;
  EXPECT_EQ(data.num_processes(), 2);
  EXPECT_EQ(data.data_shard_id(), group->rank());
  EXPECT_EQ(data.num_model_replicas(), 4);
  EXPECT_EQ(data.strategy().num_replicas_in_sync(), 4);
  distribution::LayoutMap layouts(distribution::DeviceMesh({2, 2}, {"batch", "model"}));
  layouts[".*up/kernel"] = {None, "model"};
  const distribution::ModelParallel model({.layout_map = layouts});
  for (const Distribution& used : {Distribution(data), Distribution(model)}) {
    const std::vector<double> weights = trained(used);
    ASSERT_EQ(weights.size(), alone.size());
    for (size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(weights[i], alone[i], 1e-5) << i;
  }

  const distribution::LayoutMap wide(distribution::DeviceMesh({1, 4}, {"batch", "model"}));
  EXPECT_THROW(distribution::ModelParallel({.layout_map = wide}), NotImplementedError)
      << "a replica over several processes";
  EXPECT_THROW(distribution::DataParallel({.auto_shard_dataset = false}), NotImplementedError);
}

}  // namespace
}  // namespace antler
