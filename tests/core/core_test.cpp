#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "antler/base/error.h"
#include "antler/core/half.h"
#include "antler/core/nest.h"
#include "antler/core/string_handles.h"
#include "antler/core/tensor.h"
#include "antler/core/variable.h"

namespace antler {
namespace {

TEST(Promotion, FollowsKeras) {
  using enum DType;
  EXPECT_EQ(promote_types(int64, float32), float32);
  EXPECT_EQ(promote_types(bfloat16, float16), float32);
  EXPECT_EQ(promote_types(int8, uint8), int16);
  EXPECT_EQ(promote_types(int32, uint32), int64);
  EXPECT_EQ(promote_types(int64, uint64), float32);
  EXPECT_EQ(promote_types(boolean, int8), int8);
  EXPECT_EQ(promote_types(uint16, uint8), uint16);
  EXPECT_EQ(promote_types(int64, uint8), int64);
  EXPECT_EQ(promote_types(float64, float16), float64);
}

TEST(Promotion, WeakScalarsOnlyDecideTheKind) {
  using enum DType;
  EXPECT_EQ(promote_types(bfloat16, false, float32, true), bfloat16);
  EXPECT_EQ(promote_types(int8, false, int32, true), int8);
  EXPECT_EQ(promote_types(int8, false, float32, true), float32);
  EXPECT_EQ(promote_types(boolean, false, int32, true), int32);
}

TEST(DTypeNames, RoundTrip) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto d = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(dtype_name(d)), d);
  }
  EXPECT_THROW(parse_dtype("float3"), ValueError);
}

TEST(Float16, EveryBitPatternRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float16 h;
    h.bits = static_cast<uint16_t>(bits);
    const float f = h;
    if (std::isnan(f)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(float16(f))));
    } else {
      ASSERT_EQ(float16(f).bits, h.bits) << bits;
    }
  }
}

TEST(Float16, RoundsToNearestEven) {
  EXPECT_EQ(static_cast<float>(float16(1.0F + 0x1p-11F)), 1.0F);                // a tie, to even
  EXPECT_EQ(static_cast<float>(float16(1.0F + 3 * 0x1p-11F)), 1.0F + 0x1p-9F);  // a tie, to even
  EXPECT_EQ(static_cast<float>(float16(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(static_cast<float>(float16(65520.0F))));
  EXPECT_EQ(static_cast<float>(float16(0x1p-25F)), 0.0F);  // a tie, to zero
  EXPECT_EQ(static_cast<float>(float16(0x1.8p-25F)), 0x1p-24F);
}

TEST(BFloat16, RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(static_cast<float>(bfloat16(1.0F + 0x1p-8F)), 1.0F);
  EXPECT_EQ(static_cast<float>(bfloat16(1.0F + 3 * 0x1p-8F)), 1.0F + 0x1p-6F);
  EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isinf(static_cast<float>(bfloat16(std::numeric_limits<float>::max()))));
}

TEST(ShapeAxes, CountFromTheEndWhereNegative) {
  Shape shape = {2, 3, 5};
  EXPECT_EQ(shape[-1], 5);
  EXPECT_EQ(shape[-3], shape[0]);
  shape[-2] = 7;
  EXPECT_EQ(shape, (Shape{2, 7, 5}));
  EXPECT_EQ(shape.dim(-1), 5);
  EXPECT_THROW(shape.dim(-4), ValueError);
}

TEST(ShapeText, AsKerasPrintsIt) {
  EXPECT_EQ(Shape({}).str(), "()");
  EXPECT_EQ(Shape({3}).str(), "(3,)");
  EXPECT_EQ(Shape({Shape::kUnknown, 28, 1}).str(), "(None, 28, 1)");
  EXPECT_EQ(Shape({None, 28, 1}).str(), "(None, 28, 1)");
  EXPECT_EQ(Shape({None}).str(), "(None,)");
}

TEST(Broadcast, NumpyRules) {
  EXPECT_EQ(broadcast_shapes({3, 1}, {4}), (Shape{3, 4}));
  EXPECT_EQ(broadcast_shapes({}, {2, 0}), (Shape{2, 0}));
  EXPECT_EQ(broadcast_shapes({0}, {1}), (Shape{0}));
  EXPECT_THROW(broadcast_shapes({2}, {3}), ValueError);
  EXPECT_THROW(broadcast_shapes({0}, {3}), ValueError);
}

TEST(Axis, NegativeCountsFromTheEnd) {
  EXPECT_EQ(normalize_axis(-1, 3, "axis"), 2);
  EXPECT_THROW(normalize_axis(3, 3, "axis"), ValueError);
  EXPECT_THROW(normalize_axis(-4, 3, "axis"), ValueError);
}

TEST(TensorValues, KeepTypeAndCount) {
  const Tensor t = Tensor::of(std::vector<int32_t>{1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(t.dtype(), DType::int32);
  EXPECT_EQ(t.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_THROW(t.data<float>(), TypeError);
  EXPECT_THROW(t.item(), ValueError);
  EXPECT_THROW(Tensor::of(std::vector<int32_t>{1}, {2}), ValueError);
  EXPECT_THROW(Tensor().data(), RuntimeError);
  EXPECT_EQ(Tensor::full(DType::bfloat16, {2}, 1.5).to_doubles(), (std::vector<double>{1.5, 1.5}));
  EXPECT_EQ(Tensor::full(DType::boolean, {1}, 2).to_doubles(), (std::vector<double>{1}));
}

TEST(TensorValues, ConvertToNumbersAndTruth) {
  EXPECT_TRUE(Tensor(0.5));
  EXPECT_FALSE(Tensor::of<bool>({false}));
  EXPECT_TRUE(Nest(Tensor(1)));
  EXPECT_THROW((void)static_cast<bool>(Tensor::of({1, 1})), ValueError);
  EXPECT_THROW((void)static_cast<bool>(Tensor()), ValueError);
  EXPECT_EQ(static_cast<int>(Variable(Tensor(int64_t{7}), {.name = "steps"})), 7);
}

TEST(TensorValues, HoldStrings) {
  const std::vector<std::string> words = {"a", "b", "a"};
  const Tensor tensor(words);
  EXPECT_EQ(tensor.shape(), Shape({3}));
  EXPECT_EQ(tensor.to_vector<std::string>(), words);
  EXPECT_THROW(Tensor::of({1, 2}).to_vector<std::string>(), TypeError);
  std::ostringstream out;
  out << tensor << tensor.str();
  EXPECT_EQ(out.str(),
            "Tensor(['a' 'b' 'a'], shape=(3,), dtype=string)"
            "Tensor(string, shape=(3,), values=['a', 'b', 'a'])");
  EXPECT_TRUE(holds_strings(tensor));
  EXPECT_FALSE(holds_strings(Tensor::of<uint64_t>({1, 2})));
  EXPECT_FALSE(holds_strings(Tensor(std::vector<std::string>())));
}

TEST(VariableValue, ThatWasReadDoesNotChange) {
  const Variable v(Tensor::of(std::vector<float>{1, 2}), {.name = "v"});
  const Tensor before = v.value();
  v.assign(Tensor::of(std::vector<float>{3, 4}));
  EXPECT_EQ(before.to_doubles(), (std::vector<double>{1, 2}));
  EXPECT_EQ(v.value().to_doubles(), (std::vector<double>{3, 4}));
}

TEST(VariableAssign, ChecksShapeAndDtype) {
  const Variable v(Tensor::of(std::vector<float>{1, 2}), {.name = "v"});
  EXPECT_THROW(v.assign(Tensor::of(std::vector<float>{1})), ValueError);
  EXPECT_THROW(v.assign(Tensor::of(std::vector<double>{1, 2})), TypeError);
  EXPECT_THROW(v.assign(Tensor()), ValueError);
}

// model.predict(x) is such a temporary.
TEST(NestTree, WhatIsTakenFromATemporaryOutlivesIt) {
  const auto x = [] { return Tensor::of(std::vector<float>{1, 2}); };
  const auto make = [&] { return Nest::dict({{"a", x()}}); };
  const Tensor& converted = Nest(x());
  const Tensor& leaf = Nest(x()).tensor();
  const Nest& child = make().at("a");
  const Nest& first = make()[0];
  const Shape& shape = Nest(x()).shape();
  for (const Tensor& kept : {converted, leaf, child.tensor(), first.tensor()}) {
    EXPECT_EQ(kept.to_doubles(), (std::vector<double>{1, 2}));
  }
  EXPECT_EQ(shape, Shape({2}));
}

TEST(NestTree, FlattensDictionariesByKey) {
  const Nest nest = Nest::dict({{"b", Tensor::full(DType::float32, {}, 2)},
                                {"a", Nest{Tensor::full(DType::float32, {}, 1), Tensor()}}});
  EXPECT_EQ(nest.structure(), "{a: [*, None], b: *}");
  const Tensors leaves = nest.flatten();
  ASSERT_EQ(leaves.size(), 3U);
  EXPECT_EQ(leaves[0].item(), 1);
  EXPECT_EQ(leaves[2].item(), 2);
  const Nest packed = nest.pack(
      {Tensor::full(DType::float32, {}, 7), Tensor(), Tensor::full(DType::float32, {}, 8)});
  EXPECT_EQ(packed.at("a")[0].tensor().item(), 7);
  EXPECT_EQ(packed.at("b").tensor().item(), 8);
  EXPECT_THROW(nest.pack({}), ValueError);
  EXPECT_THROW(nest.at("c"), KeyError);
  EXPECT_THROW(nest.tensor(), TypeError);
}

}  // namespace
}  // namespace antler
