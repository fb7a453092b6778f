#include "antler/ops/core.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/core/variable.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/ops.h"

namespace antler {
namespace {

TEST(ConvertToTensor, BracesAreListsAsPythonHasThem) {
  const Tensor matrix = ops::convert_to_tensor({{1, 2}, {3, 4}});
  EXPECT_EQ(ops::convert_to_tensor({1, 0.5}).to_doubles(), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(matrix.spec(), (TensorSpec{DType::int32, {2, 2}}));
  EXPECT_EQ(matrix.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4}));
  const Tensor mixed = ops::array({1, 2.5});
  EXPECT_EQ(mixed.spec(), (TensorSpec{DType::float32, {2}}));
  EXPECT_EQ(mixed.to_vector<float>(), (std::vector<float>{1, 2.5}));
  EXPECT_EQ(ops::array({{1.0}, {2.0}}).shape(), (Shape{2, 1}));
  EXPECT_EQ(ops::array({{{1, 2}}}).shape(), (Shape{1, 1, 2}));
  EXPECT_EQ(ops::array({true, false}).dtype(), DType::boolean);
  EXPECT_EQ(ops::array({true, 2}).dtype(), DType::int32);
  EXPECT_EQ(ops::array({int64_t{1}, int64_t{2}}).dtype(), DType::int64);
  EXPECT_EQ(ops::array({1, 2}, "float32").dtype(), DType::float32);
  EXPECT_EQ(ops::array({5}).shape(), (Shape{1}));
}

TEST(Strings, AreNotTakenForNumbers) {
  const Tensor words = {"a", "b"};
  EXPECT_THROW(words + 1, TypeError);
  EXPECT_THROW(ops::relu(words), TypeError);
  EXPECT_THROW(ops::cast(words, DType::float32), TypeError);
  EXPECT_THROW(ops::sum(words), TypeError);
  EXPECT_THROW(ops::max(words), TypeError);
  EXPECT_THROW(ops::less(words, words), TypeError);
  EXPECT_THROW(ops::matmul(words, words), TypeError);
  // They are moved and compared.
  const Tensor other = {"b", "b"};
  EXPECT_EQ(ops::equal(words, other).to_doubles(), (std::vector<double>{0, 1}));
  EXPECT_EQ(ops::reverse(words, {0}).to_vector<std::string>(),
            (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(ops::where(ops::not_equal(words, other), words, other).to_vector<std::string>(),
            (std::vector<std::string>{"a", "b"}));
  // Numbers of their dtype are numbers.
  EXPECT_EQ(ops::sum(Tensor::of<uint64_t>({1, 2})).item(), 3);
}

TEST(ConvertToTensor, RowsAreOfOneLength) {
  EXPECT_THROW(ops::convert_to_tensor({{1, 2}, {3}}), ValueError);
  EXPECT_THROW(ops::convert_to_tensor({{1, 2}, 3}), ValueError);
}

TEST(ConvertToTensor, TakesNumbersVectorsTensorsAndVariables) {
  EXPECT_EQ(ops::convert_to_tensor(1.5).spec(), (TensorSpec{DType::float32, {}}));
  EXPECT_FALSE(ops::convert_to_tensor(1.5).is_weak());
  EXPECT_EQ(ops::convert_to_tensor(3).dtype(), DType::int32);
  EXPECT_EQ(ops::convert_to_tensor(std::vector<float>{1, 2}).shape(), (Shape{2}));
  EXPECT_EQ(ops::array(std::vector<std::vector<int>>{{1, 2}, {3, 4}}).shape(), (Shape{2, 2}));
  const Tensor x = ops::ones({2});
  EXPECT_EQ(ops::convert_to_tensor(x).id(), x.id());
  EXPECT_EQ(ops::convert_to_tensor(x, "int32").dtype(), DType::int32);
  EXPECT_EQ(ops::convert_to_tensor(std::vector<Tensor>{x, x, x}).shape(), (Shape{3, 2}));
  EXPECT_EQ(ops::convert_to_tensor(Variable(x)).shape(), (Shape{2}));
  EXPECT_THROW(ops::convert_to_tensor(Tensor()), ValueError);
}

TEST(Conversion, WhatATensorIs) {
  const Tensor x = ops::zeros({2, 3}, "int32");
  EXPECT_EQ(ops::shape(x), (Shape{2, 3}));
  EXPECT_EQ(ops::size(x), 6);
  EXPECT_EQ(ops::ndim(x), 2);
  EXPECT_EQ(ops::dtype(x), DType::int32);
  EXPECT_TRUE(ops::is_tensor(x));
  EXPECT_FALSE(ops::is_tensor(Tensor()));
}

TEST(Conversion, Empty) {
  EXPECT_EQ(ops::empty({2, 3}).spec(), (TensorSpec{DType::float32, {2, 3}}));
  EXPECT_EQ(ops::empty_like(ops::ones({2}, "int32")).dtype(), DType::int32);
  EXPECT_EQ(ops::empty_like(ops::ones({2}), "bool").dtype(), DType::boolean);
}

TEST(Conversion, ComplexPartsOfRealNumbers) {
  const Tensor x = ops::array({1.0, -2.0});
  EXPECT_EQ(ops::real(x).id(), x.id());
  EXPECT_EQ(ops::imag(x).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(ops::isreal(x).to_doubles(), (std::vector<double>{1, 1}));
  EXPECT_EQ(ops::isreal({x, ops::array({0.0, 1.0})}).to_doubles(), (std::vector<double>{1, 0}));
}

TEST(Conversion, OtherNamesOfReductions) {
  const Tensor x = ops::array({{1, 5}, {3, 2}});
  EXPECT_EQ(ops::amax(x, 0).to_doubles(), (std::vector<double>{3, 5}));
  EXPECT_EQ(int(ops::amin(x)), 1);
  EXPECT_EQ(double(ops::sum(std::vector<Tensor>{Tensor(1.5), Tensor(2.0)})), 3.5);
  EXPECT_EQ(double(ops::sum(std::vector<Tensor>{})), 0);
}

}  // namespace
}  // namespace antler
