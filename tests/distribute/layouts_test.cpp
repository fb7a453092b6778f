#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/distribute/device_mesh.h"
#include "antler/distribute/tensor_layout.h"

namespace antler::distribution {
namespace {

using Names = std::vector<std::string>;
using Axes = std::vector<TensorLayout::Axis>;

Names cpus(int count) {
  Names names;
  for (int i = 0; i < count; ++i) names.push_back("cpu:" + std::to_string(i));
  return names;
}

DeviceMesh wide_mesh() { return DeviceMesh({2, 4}, {"batch", "model"}, cpus(8)); }

/// The message of the ValueError that `f` throws.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Devices, AreVirtualCpus) {
  EXPECT_EQ(list_devices(), Names{"cpu:0"});
  EXPECT_EQ(get_device_count(), 1);
  EXPECT_THROW(list_devices("gpu"), RuntimeError);
  EXPECT_THROW(get_device_count("tpu"), RuntimeError);
  EXPECT_THROW(set_cpu_devices(0), ValueError);
  set_cpu_devices(3);
  EXPECT_EQ(list_devices("CPU"), cpus(3));
  EXPECT_EQ(DeviceMesh({3}, {"batch"}).devices(), cpus(3));
  EXPECT_THROW(DeviceMesh({2}, {"batch"}), ValueError);
  set_cpu_devices(1);
}

TEST(DeviceMesh, KnowsItsAxes) {
  const DeviceMesh m = wide_mesh();
  EXPECT_EQ(m.shape(), (Shape{2, 4}));
  EXPECT_EQ(m.axis_names(), (Names{"batch", "model"}));
  EXPECT_EQ(m.devices(), cpus(8));
  EXPECT_EQ(m.axis_size("model"), 4);
  EXPECT_TRUE(m.has_axis("batch"));
  EXPECT_FALSE(m.has_axis("data"));
  EXPECT_THROW(m.axis_size("data"), ValueError);
  EXPECT_EQ(m, wide_mesh());
  std::ostringstream text;
  text << m;
  EXPECT_EQ(text.str(), "<DeviceMesh shape=(2, 4), axis_names=['batch', 'model']>");
}

TEST(DeviceMesh, ChecksItsArguments) {
  const auto error = [](Shape shape, Names names, Names devices) {
    return error_of([&] { DeviceMesh(shape, names, devices); });
  };
  EXPECT_NE(error({4}, {}, cpus(4)).find("cannot be empty"), std::string::npos);
  EXPECT_NE(error({}, {"batch"}, cpus(1)).find("cannot be empty"), std::string::npos);
  EXPECT_NE(error({4, 2}, {"batch"}, cpus(8)).find("the same size"), std::string::npos);
  EXPECT_NE(error({4, 2}, {"a", "b"}, cpus(4)).find("number of devices"), std::string::npos);
  EXPECT_NE(error({None}, {"a"}, cpus(1)).find("number of devices"), std::string::npos);
  EXPECT_NE(error({2, 2}, {"a", "a"}, cpus(4)).find("duplicates"), std::string::npos);
  EXPECT_NE(error({2}, {"a"}, {"cpu:0", "cpu:0"}).find("duplicates"), std::string::npos);
  EXPECT_NE(error({1}, {"a"}, {"tpu:0"}).find("tpu:0"), std::string::npos);
}

TEST(TensorLayout, ChecksTheNamesOfItsAxes) {
  const TensorLayout layout({None, "model"}, wide_mesh());
  EXPECT_EQ(layout.axes(), (Axes{std::nullopt, "model"}));
  EXPECT_EQ(layout.device_mesh(), wide_mesh());
  EXPECT_THROW(TensorLayout({"data"}, wide_mesh()), ValueError);

  TensorLayout later({"data"});
  EXPECT_FALSE(later.device_mesh());
  EXPECT_EQ(later.str(), "<TensorLayout axes=('data',), device_mesh=None>");
  EXPECT_THROW(later.set_device_mesh(wide_mesh()), ValueError);
  TensorLayout good({"model", None});
  good.set_device_mesh(wide_mesh());
  EXPECT_THROW(good.set_device_mesh(wide_mesh()), ValueError);
}

TEST(TensorLayout, SaysWhichDimensionsAreDivided) {
  const TensorLayout both({"model", None, "batch"}, wide_mesh());
  EXPECT_EQ(sharding_of(both, "x", {4, 3, 2}), (Sharding{{0, 4, "model"}, {2, 2, "batch"}}));
  EXPECT_TRUE(sharding_of(TensorLayout({None}, wide_mesh()), "x", {4, 3}).empty());
  const DeviceMesh flat({1, 4}, {"batch", "model"}, cpus(4));
  EXPECT_EQ(sharding_of(TensorLayout({"batch", "model"}, flat), "x", {4, 4}),
            (Sharding{{1, 4, "model"}}));
  EXPECT_THROW(sharding_of(TensorLayout({"model"}), "x", {4}), ValueError);
  EXPECT_THROW(sharding_of(both, "x", {4, 3}), ValueError);
  EXPECT_THROW(sharding_of(TensorLayout({"model", "model"}, wide_mesh()), "x", {4, 4}), ValueError);
}

TEST(LayoutMap, FindsLayoutsByPathOrExpression) {
  LayoutMap map(wide_mesh());
  map[".*dense.*/kernel"] = {None, "model"};
  map[".*dense.*/bias"] = {"model"};
  map["m/dense_1/kernel"] = TensorLayout({"model", None});
  EXPECT_EQ(map.size(), 3U);
  EXPECT_EQ(map.keys(), (Names{".*dense.*/kernel", ".*dense.*/bias", "m/dense_1/kernel"}));
  EXPECT_EQ(map.get("m/dense/kernel")->axes(), (Axes{std::nullopt, "model"}));
  EXPECT_EQ(map.get("m/dense/kernel")->device_mesh(), wide_mesh());
  EXPECT_EQ(map.get("m/dense_1/kernel")->axes(), (Axes{"model", std::nullopt})) << "the key itself";
  const std::optional<TensorLayout> bias = map["dense/bias"];
  EXPECT_EQ(bias->axes(), Axes{"model"});
  EXPECT_FALSE(map.get("m/dense/kernel_2")) << "whole paths only";
  EXPECT_FALSE(map.get("m/conv2d/kernel"));
  map.erase(".*dense.*/bias");
  EXPECT_FALSE(map.get("dense/bias"));
  EXPECT_THROW(map.erase(".*dense.*/bias"), KeyError);
}

TEST(LayoutMap, RefusesWhatIsAmbiguous) {
  LayoutMap map(wide_mesh());
  map["a.*"] = {"model"};
  map[".*b"] = {None};
  EXPECT_NE(error_of([&] { map.get("ab"); }).find("\"a.*\", \".*b\""), std::string::npos);
  EXPECT_NE(error_of([&] { map["a.*"] = {"batch"}; }).find("exists"), std::string::npos);
  EXPECT_THROW((map["c"] = {"data"}), ValueError);
  EXPECT_THROW((map["("] = {"model"}), ValueError);
  EXPECT_EQ(map.size(), 2U);
}

}  // namespace
}  // namespace antler::distribution
