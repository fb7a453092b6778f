#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/numpy/products.h"
#include "support/op_cases.h"

namespace antler {
namespace {

using test::check_gradients;
using test::expect_close;
using test::random_tensor;
using test::tensor_of;

Tensor counting(const Shape& shape) {
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return tensor_of(DType::float32, shape, values);
}

TEST(DotGeneral, Cases) { test::check_ops(test::dot_cases()); }

TEST(Matmul, VectorsAndMatrices) {
  const Tensor m = counting({2, 3});
  const Tensor v = counting({3});
  expect_close(ops::matmul(m, v), {5, 14});
  expect_close(ops::matmul(v, counting({3, 2})), {10, 13});
  EXPECT_EQ(ops::matmul(v, v).shape(), Shape{});
  EXPECT_EQ(ops::matmul(v, v).item(), 5);
  expect_close(ops::matmul(m, counting({3, 2})), {10, 13, 28, 40});
}

TEST(Matmul, BroadcastsLeadingDimensions) {
  const auto shape = [](const Shape& x, const Shape& y) {
    return ops::matmul(Tensor::zeros(DType::float32, x), Tensor::zeros(DType::float32, y)).shape();
  };
  EXPECT_EQ(shape({5, 2, 3}, {3, 4}), (Shape{5, 2, 4}));
  EXPECT_EQ(shape({2, 3}, {5, 3, 4}), (Shape{5, 2, 4}));
  EXPECT_EQ(shape({5, 2, 3}, {5, 3, 4}), (Shape{5, 2, 4}));
  EXPECT_EQ(shape({7, 1, 2, 3}, {5, 3, 4}), (Shape{7, 5, 2, 4}));
  EXPECT_EQ(shape({3}, {5, 3, 4}), (Shape{5, 4}));
  EXPECT_EQ(shape({5, 2, 3}, {3}), (Shape{5, 2}));
  EXPECT_EQ(shape({0, 2, 3}, {3, 4}), (Shape{0, 2, 4}));
  expect_close(ops::matmul(counting({2, 1, 2}), counting({2, 2, 1})), {1, 13});
  check_gradients([](const Tensors& v) { return Tensors{ops::matmul(v[0], v[1])}; },
                  {random_tensor(DType::float64, {2, 1, 3, 2}),
                   random_tensor(DType::float64, {3, 2, 2}, -1, 1, 2)});
}

TEST(Matmul, Dtypes) {
  const Tensor i8 = Tensor::full(DType::int8, {2, 100}, 100);
  const Tensor result = ops::matmul(i8, Tensor::full(DType::int8, {100, 1}, 100));
  EXPECT_EQ(result.dtype(), DType::int32);
  expect_close(result, {1e6, 1e6});
  EXPECT_EQ(ops::matmul(i8, Tensor::full(DType::bfloat16, {100, 1}, 1)).dtype(), DType::bfloat16);
}

TEST(Matmul, ErrorNamesShapes) {
  try {
    ops::matmul(counting({2, 3}), counting({4, 5}));
    FAIL();
  } catch (const ValueError& e) {
    EXPECT_STREQ(e.what(),
                 "ops::matmul: expected the last dimension of x to equal the second to last of y. "
                 "Received: x.shape=(2, 3), y.shape=(4, 5).");
  }
  EXPECT_THROW(ops::matmul(counting({2, 3}), 2.0), ValueError);
  EXPECT_THROW(ops::matmul(counting({2, 2, 3}), counting({3, 3, 2})), ValueError);
}

TEST(Tensordot, ContractsTheDimensionsBetween) {
  expect_close(ops::tensordot(counting({2, 3}), counting({3, 2}), 1), {10, 13, 28, 40});
  EXPECT_EQ(ops::tensordot(counting({2, 3}), counting({2, 3}), 2).item(), 55);
  EXPECT_EQ(ops::tensordot(counting({2, 3}), counting({4, 5}), 0).shape(), (Shape{2, 3, 4, 5}));
  EXPECT_THROW(ops::tensordot(counting({2, 3}), counting({2, 3}), 1), ValueError);
  EXPECT_THROW(ops::tensordot(counting({2, 3}), counting({2, 3}), 3), ValueError);
}

TEST(DotGeneral, ErrorNamesOperandsAndDimensions) {
  EXPECT_THROW(ops::dot_general(counting({2, 3}), counting({3, 2}), {{1}, {}}), ValueError);
  EXPECT_THROW(ops::dot_general(counting({2, 3}), counting({3, 2}), {{2}, {0}}), ValueError);
  EXPECT_THROW(ops::dot_general(counting({2, 3}), counting({3, 2}), {{0}, {0}}), ValueError);
}

}  // namespace
}  // namespace antler
