#include "antler/core/device_value.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler {
namespace {

Tensor numbers(float value) { return Tensor::full(DType::float32, {3}, value); }

/// A value on a device that may be lost while it is read.
class FakeValue final : public DeviceValue {
 public:
  explicit FakeValue(float value, bool is_lost = false) : value_(value), is_lost_(is_lost) {}
  void copy_to(void* memory) override {
    ++copies;
    auto* const elements = static_cast<float*>(memory);
    std::fill_n(elements, is_lost_ ? 2 : 3, value_);
    if (is_lost_) throw UnavailableError("the device is gone");
  }
  int copies = 0;

 private:
  float value_;
  bool is_lost_;
};

TEST(DeviceValue, IsFetchedOnceWhenItIsRead) {
  const Variable v(numbers(1));
  const Tensor before = v.value();
  const auto value = std::make_shared<FakeValue>(2.0F);
  set_device_value(v, value, true);
  EXPECT_EQ(value->copies, 0);
  EXPECT_EQ(v.value().to_doubles(), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(v.value().to_doubles(), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(value->copies, 1);
  EXPECT_EQ(before.to_doubles(), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(device_value(v), value) << "both have it";
}

TEST(DeviceValue, IsDroppedByAnAssignmentWithoutAFetch) {
  const Variable v(numbers(1));
  const auto value = std::make_shared<FakeValue>(2.0F);
  set_device_value(v, value, true);
  v.assign(numbers(3));
  EXPECT_EQ(device_value(v), nullptr);
  EXPECT_EQ(value->copies, 0);
  EXPECT_EQ(v.value().to_doubles(), (std::vector<double>{3, 3, 3}));
}

TEST(DeviceValue, ALostDeviceLeavesTheHostsValueWhole) {
  const Variable v(numbers(1));
  set_device_value(v, std::make_shared<FakeValue>(2.0F, true), true);
  EXPECT_THROW(v.value(), UnavailableError);
  set_device_value(v, nullptr, false);
  EXPECT_EQ(v.value().to_doubles(), (std::vector<double>{1, 1, 1}));
}

}  // namespace
}  // namespace antler
