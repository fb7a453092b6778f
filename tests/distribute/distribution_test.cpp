#include "antler/distribute/distribution.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/core/variable_shards.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/runtime/function.h"
#include "ops/core/shards.h"

namespace antler::distribution {
namespace {

using Axes = std::vector<TensorLayout::Axis>;

DeviceMesh mesh() {
  return DeviceMesh({2, 2}, {"batch", "model"}, {"cpu:0", "cpu:1", "cpu:2", "cpu:3"});
}

LayoutMap kernels() {
  LayoutMap map(mesh());
  map[".*kernel"] = {None, "model"};
  return map;
}

TEST(DataParallel, MakesAMesh) {
  const DataParallel two({.devices = {"cpu:0", "cpu:1"}});
  EXPECT_EQ(two.device_mesh().shape(), Shape{2});
  EXPECT_EQ(two.batch_dim_name(), "batch");
  EXPECT_EQ(two.num_model_replicas(), 2);
  EXPECT_EQ(two.num_processes(), 1);
  EXPECT_EQ(two.data_shard_id(), 0);
  EXPECT_TRUE(two.auto_shard_dataset());
  EXPECT_EQ(two.strategy().num_replicas_in_sync(), 2);
  EXPECT_EQ(DataParallel().device_mesh().devices(), list_devices());

  std::string warned;
  logging::set_warning_sink([&](std::string_view text) { warned = text; });
  const DataParallel flat({.device_mesh = mesh()});
  logging::set_warning_sink(nullptr);
  EXPECT_NE(warned.find("one axis"), std::string::npos);
  EXPECT_EQ(flat.num_model_replicas(), 4);
  EXPECT_EQ(flat.strategy().num_replicas_in_sync(), 2);
}

TEST(DataParallel, DividesDataOnly) {
  const DataParallel two({.devices = {"cpu:0", "cpu:1"}});
  EXPECT_EQ(two.get_data_layout({4, 2, 2}).axes(), (Axes{"batch", std::nullopt, std::nullopt}));
  const Variable v(Tensor::zeros(DType::float32, {3}));
  EXPECT_EQ(two.get_variable_layout(v).axes(), Axes{std::nullopt});
  EXPECT_EQ(two.get_variable_layout(v).device_mesh(), two.device_mesh());
  EXPECT_FALSE(two.get_tensor_layout("path/to/tensor"));
}

TEST(ModelParallel, ChecksItsArguments) {
  EXPECT_THROW(ModelParallel({}), ValueError);
  EXPECT_THROW(ModelParallel({.layout_map = kernels(), .batch_dim_name = "data"}), ValueError);
  const ModelParallel by_default({.layout_map = kernels()});
  EXPECT_EQ(by_default.batch_dim_name(), "batch");
  const ModelParallel other({.layout_map = kernels(), .batch_dim_name = "model"});
  EXPECT_EQ(other.num_model_replicas(), 2);
  EXPECT_EQ(other.get_data_layout({4}).axes(), Axes{"model"});
}

TEST(ModelParallel, DividesTheWeightsOfLayers) {
  LayoutMap map = kernels();
  map["dense/output"] = {"batch", "model"};
  const ModelParallel both({.layout_map = map});
  const auto scope = both.scope();
  Dense dense(4, {.name = "dense"});
  dense.build(Shape{None, 6});
  const Variables weights = dense.weights();
  ASSERT_NE(weights[0].shards(), nullptr);
  EXPECT_EQ(weights[0].shape(), (Shape{6, 4}));
  EXPECT_EQ(weights[0].shards()->parts[0].shape(), (Shape{6, 2}));
  EXPECT_EQ(weights[1].shards(), nullptr);
  EXPECT_EQ(both.get_variable_layout(weights[0]).axes(), (Axes{std::nullopt, "model"}));
  EXPECT_EQ(both.get_variable_layout(weights[1]).axes(), Axes{std::nullopt});
  EXPECT_EQ(both.get_tensor_layout("dense/output")->axes(), (Axes{"batch", "model"}));

  Dense odd(3);
  EXPECT_THROW(odd.build(Shape{None, 6}), ValueError);
}

TEST(ModelParallel, ADividedVariableKeepsItsLayout) {
  const Variable v(Tensor::zeros(DType::float32, {4, 2}), {.name = "kernel"});
  const ModelParallel both({.layout_map = kernels()});
  EXPECT_EQ(both.get_variable_layout(v).axes(), (Axes{std::nullopt, "model"})) << "by its path";
  const DataParallel two({.devices = {"cpu:0", "cpu:1"}});
  EXPECT_EQ(two.get_variable_layout(v).axes(), (Axes{std::nullopt, std::nullopt}));
  ops::divide(v, {{0, 2, "rows"}});
  EXPECT_EQ(both.get_variable_layout(v).axes(), (Axes{"rows", std::nullopt}));
  EXPECT_FALSE(both.get_variable_layout(v).device_mesh()) << "it lies on another mesh";
}

TEST(SetDistribution, IsWhatModelsAreMadeUnder) {
  EXPECT_FALSE(distribution());
  const DataParallel two({.devices = {"cpu:0", "cpu:1"}});
  {
    const auto scope = two.scope();
    EXPECT_EQ(*distribution(), two);
    EXPECT_EQ(distribute::get_strategy().num_replicas_in_sync(), 2);
    const ModelParallel both({.layout_map = kernels()});
    {
      const auto inner = both.scope();
      EXPECT_EQ(*distribution(), both);
    }
    EXPECT_EQ(*distribution(), two);
  }
  EXPECT_FALSE(distribution());
  EXPECT_FALSE(distribute::has_strategy());
  set_distribution(two);
  EXPECT_TRUE(distribute::has_strategy());
  set_distribution(None);
  EXPECT_FALSE(distribute::has_strategy());

  const distribute::MirroredStrategy strategy(2);
  const auto scope = strategy.scope();
  EXPECT_THROW(set_distribution(two), RuntimeError);
  EXPECT_FALSE(distribution());
}

TEST(DistributeTensor, ChangesNoValue) {
  const TensorLayout columns({None, "model"}, mesh());
  const Tensor x = Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(distribute_tensor(x, columns).id(), x.id());
  const auto doubled =
      tf::function([&](const Tensor& t) { return distribute_tensor(t + t, columns) * 0.5; });
  EXPECT_EQ(doubled(x).tensor().to_doubles(), x.to_doubles());
}

TEST(DistributeTensor, ChecksTheLayout) {
  const Tensor x = Tensor::of<float>({1, 2, 3});
  EXPECT_THROW(distribute_tensor(x, TensorLayout({"model"}, mesh())), ValueError);
  EXPECT_THROW(distribute_tensor(x, TensorLayout({None, "model"}, mesh())), ValueError);
  EXPECT_THROW(distribute_tensor(x, TensorLayout({None})), ValueError);
  EXPECT_THROW(distribute_tensor(Tensor(), TensorLayout({None}, mesh())), ValueError);
}

}  // namespace
}  // namespace antler::distribution
