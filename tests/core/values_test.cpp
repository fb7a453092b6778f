// How values are written down, read back and printed.
#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>

#include "antler/base/error.h"
#include "antler/core/nest.h"
#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"
#include "antler/core/variable.h"

namespace antler {
namespace {

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(TensorOf, TakesRowsInBraces) {
  const Tensor matrix = Tensor::of({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(matrix.dtype(), DType::int32);
  EXPECT_EQ(matrix.shape(), (Shape{2, 3}));
  EXPECT_EQ(matrix.to_doubles(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Tensor::of<float>({0.5, 1}).dtype(), DType::float32);
  EXPECT_EQ(Tensor::of({{{1.5}, {2.5}}, {{3.5}, {4.5}}}).shape(), (Shape{2, 2, 1}));
  EXPECT_EQ(Tensor::of({true, false}).dtype(), DType::boolean);
  const std::vector<std::vector<float>> rows = {{1, 2}, {3, 4}};
  EXPECT_EQ(Tensor::of(rows).shape(), (Shape{2, 2}));
  EXPECT_NE(message_of([] { Tensor::of({{1, 2}, {3}}); }).find("(2,) and (1,)"), std::string::npos);
}

TEST(TensorNumbers, ConvertBothWays) {
  EXPECT_EQ(float(Tensor(2.5)), 2.5F);
  EXPECT_EQ(static_cast<int64_t>(Tensor::of({7})), 7);
  EXPECT_EQ(int(Nest(Tensor(3))), 3);
  EXPECT_THROW((void)float(Tensor::of({1, 2})), ValueError);
  EXPECT_EQ(Tensor(true).dtype(), DType::boolean);
  // A pointer converts to bool, but is not a number.
  static_assert(!std::is_constructible_v<Tensor, const char*>);
  static_assert(!std::is_convertible_v<Tensor, double>);
}

TEST(Printing, ShowsWhatThereIs) {
  EXPECT_EQ(printed(Shape{Shape::kUnknown, 3}), "(None, 3)");
  EXPECT_EQ(printed(DType::bfloat16), "bfloat16");
  EXPECT_EQ(printed(Tensor::of({1, 2})), "Tensor([1 2], shape=(2,), dtype=int32)");
  const Variable v(Tensor::of({1.5F}), {.name = "w"});
  EXPECT_EQ(printed(v), "Variable(path=w, Tensor(float32, shape=(1,), values=[1.5]))");
  EXPECT_EQ(printed(Variable()), "Variable(undefined)");
  const Nest tree = {{"a", Tensor(1)}, {"b", Nest{Tensor(), Nest(std::vector<Nest>{})}}};
  EXPECT_EQ(printed(tree), "{a: Tensor(int32, shape=(), values=[1]), b: [None, []]}");
}

TEST(Printing, ShowsTheValuesOfATensor) {
  EXPECT_EQ(printed(Tensor::of(std::vector<float>{1, 2, 3, 4.5}, {2, 2})),
            "Tensor(\n[[1.  2. ]\n [3.  4.5]], shape=(2, 2), dtype=float32)");
  EXPECT_EQ(printed(Tensor::of({0.1F, -2.F})), "Tensor([ 0.1 -2. ], shape=(2,), dtype=float32)");
  EXPECT_EQ(printed(Tensor::of({1e10F, 1.5F})),
            "Tensor([1.0e+10 1.5e+00], shape=(2,), dtype=float32)");
  EXPECT_EQ(printed(Tensor(1)), "Tensor(1, shape=(), dtype=int32)");
  EXPECT_EQ(printed(Tensor::zeros(DType::int32, {2000})),
            "Tensor([0 0 0 ... 0 0 0], shape=(2000,), dtype=int32)");
  EXPECT_EQ(printed(Tensor::zeros(DType::float32, {0})), "Tensor([], shape=(0,), dtype=float32)");
}

TEST(NestInBraces, IsADictionaryWhereNamesComeFirst) {
  const Tensor x(1);
  const Tensor y(2);
  EXPECT_EQ((Nest{{"b", x}, {"a", y}}).structure(), "{a: *, b: *}");
  EXPECT_EQ((Nest{{"a", {x, y}}}).structure(), "{a: [*, *]}");
  EXPECT_EQ((Nest{x, y}).structure(), "[*, *]");
  EXPECT_EQ((Nest{{x, y}, {y}}).structure(), "[[*, *], [*]]");
  const auto [first, second] = Nest{x, y}.unpack<2>();
  EXPECT_EQ(int(second), 2);
  EXPECT_NE(message_of([&] {
              (void)Nest{x, y}.unpack<3>();
            }).find("list of 3 parts"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)Nest(x).at(0); }).find("nest[index]"), std::string::npos);
}

TEST(VariableAssign, TakesNumbersAsTheyAre) {
  const Variable v(Tensor::of<float>({2.5F}, {}), {.name = "v"});
  v.assign(3);
  EXPECT_EQ(float(v.value()), 3.0F);
  EXPECT_EQ(v.dtype(), DType::float32);
  EXPECT_THROW(v.assign(Tensor::of<int32_t>({1}, {})), TypeError);
}

TEST(StringTensor, OfBraces) {
  const StringTensor words = {"a", "b", "c"};
  EXPECT_EQ(words.shape, (Shape{3}));
  const StringTensor two = {"a", "b"};
  EXPECT_EQ(two.values, (std::vector<std::string>{"a", "b"}));
  const StringTensor rows = StringTensor::of({{"a", "b"}, {"c", "d"}});
  EXPECT_EQ(rows.shape, (Shape{2, 2}));
  EXPECT_EQ(rows.values, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_THROW(StringTensor::of({{"a", "b"}, {"c"}}), ValueError);
}

}  // namespace
}  // namespace antler
