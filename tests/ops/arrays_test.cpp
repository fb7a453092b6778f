#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/fft.h"
#include "antler/ops/linalg.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "antler/ops/numpy/statistics.h"

namespace antler {
namespace {

Tensor counted(const Shape& shape) {
  return ops::reshape(ops::arange(0, shape.num_elements(), 1, {.dtype = DType::float32}), shape);
}

TEST(Arrays, RearrangeFollowsThePattern) {
  const Tensor x = counted({2, 6, 3});
  const Tensor y = ops::rearrange(x, "b (h w) c -> b c h w", {{"h", 2}});
  EXPECT_EQ(y.shape().str(), "(2, 3, 2, 3)");
  // [b, c, h, w] = x[b, h * 3 + w, c]
  EXPECT_EQ(y.to_vector<float>()[1 * 18 + 2 * 6 + 1 * 3 + 2], 1 * 18 + 5 * 3 + 2);
  EXPECT_EQ(ops::rearrange(x, "... c -> c (...)").shape().str(), "(3, 12)");
  EXPECT_EQ(ops::rearrange(x, "a b c -> (a b c)").to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(ops::rearrange(counted({4}), "a -> 1 a 1").shape().str(), "(1, 4, 1)");
  for (const char* wrong : {"a b", "a b -> b a", "a b c -> a b", "a (b d) c -> a b d c",
                            "a b c -> a b d", "a (b c -> a b c", "a a c -> a c"}) {
    EXPECT_THROW(ops::rearrange(x, wrong), ValueError) << wrong;
  }
}

// scipy.signal.get_window's neighbours in numpy: hanning(5), hamming(4), kaiser(4, 3).
TEST(Arrays, WindowsAreNumpys) {
  const auto expect = [](const Tensor& window, const std::vector<float>& values) {
    const std::vector<float> actual = window.to_vector<float>();
    ASSERT_EQ(actual.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(actual[i], values[i], 1e-6);
  };
  expect(ops::hanning(5), {0, 0.5F, 1, 0.5F, 0});
  expect(ops::hamming(4), {0.08F, 0.77F, 0.77F, 0.08F});
  expect(ops::blackman(3), {0, 1, 0});
  expect(ops::bartlett(4), {0, 0.6666667F, 0.6666667F, 0});
  expect(ops::kaiser(4, 3), {0.20488476F, 0.87124187F, 0.87124187F, 0.20488476F});
  expect(ops::kaiser(1, 3), {1});
}

TEST(Arrays, TriIdentityAndSplitByIndices) {
  EXPECT_EQ(ops::tri(2, 3, 1).to_vector<float>(), (std::vector<float>{1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(ops::identity(2).to_vector<float>(), (std::vector<float>{1, 0, 0, 1}));
  const Tensors parts = ops::split(counted({5}), std::vector<int64_t>{1, 3});
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[1].to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(Arrays, OptionsOfGridsHaveNames) {
  using Values = std::vector<double>;
  EXPECT_EQ(ops::linspace(0, 2, 4, {.endpoint = false}).to_doubles(), (Values{0, 0.5, 1, 1.5}));
  EXPECT_EQ(ops::linspace(0, 4, 3, {.dtype = "int32"}).dtype(), DType::int32);
  EXPECT_EQ(ops::linspace(counted({2}), counted({2}), 3, {.axis = -1}).shape(), Shape({2, 3}));
  EXPECT_EQ(ops::linspace_step(0, 2, 4, {.endpoint = false}).item(), 0.5);
  EXPECT_EQ(ops::logspace(0, 3, 4, {.base = 2}).to_doubles(), (Values{1, 2, 4, 8}));
  EXPECT_EQ(ops::logspace(0, 2, 2, {.endpoint = false, .base = 2}).to_doubles(), (Values{1, 2}));
  EXPECT_NEAR(ops::geomspace(1, 16, 2, {.endpoint = false}).to_doubles()[1], 4, 1e-5);
  EXPECT_EQ(ops::vander(Tensor::of({2.F}), 3).to_doubles(), (Values{4, 2, 1}));
  EXPECT_EQ(ops::vander(Tensor::of({2.F}), 3, {.increasing = true}).to_doubles(),
            (Values{1, 2, 4}));
}

TEST(Arrays, OptionsOfSearchesAndComparisonsHaveNames) {
  using Values = std::vector<double>;
  const Tensor x = Tensor::of({3.F, 1.F, 2.F});
  EXPECT_EQ(ops::sort(x, 0, {.descending = true}).to_doubles(), (Values{3, 2, 1}));
  EXPECT_EQ(ops::argsort(x, 0, {.descending = true}).to_doubles(), (Values{0, 2, 1}));
  EXPECT_EQ(ops::isin(x, Tensor::of({1.F})).to_doubles(), (Values{0, 1, 0}));
  EXPECT_EQ(ops::isin(x, Tensor::of({1.F}), {.invert = true}).to_doubles(), (Values{1, 0, 1}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ops::isclose(nan, nan).item(), 0);
  EXPECT_EQ(ops::isclose(nan, nan, {.equal_nan = true}).item(), 1);
  EXPECT_EQ(ops::allclose(x, x + 0.5).item(), 0);
  EXPECT_EQ(ops::allclose(x, x + 0.5, {.atol = 0.6}).item(), 1);
  EXPECT_EQ(ops::allclose(x, x + 0.5, {.rtol = 0.6}).item(), 1);
}

TEST(Arrays, OptionsOfDecompositionsHaveNames) {
  const Tensor x = Tensor::of({{4.F, 2.F}, {2.F, 5.F}});
  const Tensor lower = ops::cholesky(x);
  const Tensor upper = ops::cholesky(x, {.upper = true});
  EXPECT_EQ(lower.to_doubles(), (std::vector<double>{2, 0, 1, 2}));
  EXPECT_EQ(upper.to_doubles(), (std::vector<double>{2, 1, 0, 2}));
  const Tensor inverse = ops::inv(x);
  for (const Tensor& y :
       {ops::cholesky_inverse(lower), ops::cholesky_inverse(upper, {.upper = true})}) {
    EXPECT_EQ(ops::allclose(y, inverse, {.atol = 1e-5}).item(), 1);
  }
  const Tensor b = Tensor::of({2.F, 5.F});
  EXPECT_EQ(ops::solve_triangular(lower, b, {.lower = true}).to_doubles(),
            (std::vector<double>{1, 2}));
  EXPECT_EQ(ops::solve_triangular(lower, b).to_doubles(), (std::vector<double>{1, 2.5}));
  const Tensor tall = counted({3, 2});
  EXPECT_EQ(ops::svd(tall).u.shape(), Shape({3, 3}));
  EXPECT_EQ(ops::svd(tall, {.full_matrices = false}).u.shape(), Shape({3, 2}));
}

TEST(Arrays, OptionsOfSumsAndCountsHaveNames) {
  using Doubles = std::vector<double>;
  const Tensor x = Tensor::of({3.F, 1.F, 3.F});
  EXPECT_EQ(ops::unique(x).values.to_doubles(), (Doubles{1, 3}));
  EXPECT_EQ(ops::unique(x, {.size = 3, .fill_value = 7}).values.to_doubles(), (Doubles{1, 3, 7}));
  const Tensor numbers = Tensor::of({0, 2, 2});
  EXPECT_EQ(ops::bincount(numbers).to_doubles(), (Doubles{1, 0, 2}));
  EXPECT_EQ(ops::bincount(numbers, {.weights = x, .minlength = 4}).to_doubles(),
            (Doubles{3, 0, 4, 0}));
  EXPECT_EQ(ops::average(x, 0, {.weights = Tensor::of({0.F, 1.F, 1.F})}).item(), 2);
  EXPECT_EQ(ops::trapezoid(x).item(), 4);
  EXPECT_EQ(ops::trapezoid(x, {.dx = 2}).item(), 8);
  EXPECT_EQ(ops::trapezoid(x, {.x = Tensor::of({0.F, 1.F, 3.F})}).item(), 6);
  const Tensor far = Tensor::of({INFINITY, -INFINITY, NAN});
  EXPECT_EQ(ops::nan_to_num(far, {.nan = 1, .posinf = 2, .neginf = 3}).to_doubles(),
            (Doubles{2, 3, 1}));
  const Tensor axes = Tensor::of<float>({1.F, 0.F, 0.F, 1.F, 0.F, 0.F}, {3, 2});
  EXPECT_EQ(ops::cross(axes, axes, {.axis = 0}).shape(), Shape({3, 2}));
  EXPECT_EQ(ops::arange(3, {.dtype = "float32"}).dtype(), DType::float32);
}

TEST(Arrays, EinsumBroadcastsDimensionsOfSizeOne) {
  const Tensor x = counted({1, 2, 3});
  const Tensor y = counted({4, 3, 5});
  const Tensor wanted = ops::matmul(x, y);
  for (const char* equation : {"...ij,...jk->...ik", "bij,bjk->bik"})
    EXPECT_EQ(ops::einsum(equation, x, y).to_doubles(), wanted.to_doubles()) << equation;
  EXPECT_EQ(ops::einsum("ij,ij->", counted({1, 3}), counted({2, 3})).item(), 19);
  EXPECT_THROW(ops::einsum("ij,ij->", counted({2, 3}), counted({3, 3})), ValueError);
}

TEST(Arrays, NanIsInsertedAtTheEnd) {
  using Doubles = std::vector<double>;
  const Tensor sorted = Tensor::of({1.F, 2.F, 3.F});
  const Tensor values = Tensor::of({NAN, 0.F, 2.F});
  EXPECT_EQ(ops::searchsorted(sorted, values).to_doubles(), (Doubles{3, 0, 1}));
  EXPECT_EQ(ops::searchsorted(sorted, values, "right").to_doubles(), (Doubles{3, 0, 2}));
  EXPECT_EQ(ops::digitize(values, sorted).to_doubles(), (Doubles{3, 0, 2}));
  const Tensor with_nan = Tensor::of({1.F, 2.F, NAN});
  EXPECT_EQ(ops::searchsorted(with_nan, values).to_doubles(), (Doubles{2, 0, 1}));
  EXPECT_EQ(ops::searchsorted(with_nan, values, "right").to_doubles(), (Doubles{3, 0, 2}));
}

TEST(Arrays, LargeNumbersAreNotCounted) {
  using Doubles = std::vector<double>;
  const Tensor numbers = Tensor::of<int64_t>({(int64_t{1} << 32) + 1, 1, -1});
  EXPECT_EQ(ops::bincount(numbers, {.size = 3}).to_doubles(), (Doubles{0, 1, 0}));
  EXPECT_EQ(
      ops::bincount(ops::cast(Tensor::of({200, 3}), DType::uint8), {.size = 300}).to_doubles()[200],
      1);
  const Tensor data = Tensor::of<int64_t>({5, 6, 7});
  EXPECT_EQ(ops::segment_sum(data, numbers, 2).to_doubles(), (Doubles{0, 6}));
  // The value of an empty segment.
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(ops::segment_min(data, Tensor::of({0, 0, 0}), 2).to_vector<int64_t>(),
            (std::vector<int64_t>{5, kLargest}));
}

/// A flag by position: true alone does not say of what.
template <class T>
concept TakesFlagsByPosition = requires(const T& x) {
  ops::sort(x, 0, true);
}
|| requires(const T& x) { ops::isin(x, x, true); }
|| requires(const T& x) { ops::linspace(x, x, 5, true); }
|| requires(const T& x) { ops::cholesky(x, true); }
|| requires(const T& x) { ops::svd(x, true); };
static_assert(!TakesFlagsByPosition<Tensor>);

TEST(Arrays, WrongArgumentsAreNamed) {
  const Tensor x = counted({2, 3});
  const std::vector<std::pair<const char*, std::function<void()>>> calls = {
      {"diagonal", [&] { ops::diagonal(x, 0, 1, 1); }},
      {"diff", [&] { ops::diff(x, -1); }},
      {"einsum", [&] { ops::einsum("ij->k", {x}); }},
      {"cross", [&] { ops::cross(counted({4}), counted({4})); }},
      {"searchsorted", [&] { ops::searchsorted(x, x); }},
      {"quantile", [&] { ops::quantile(x, 0.5, {}, {.method = "cubic"}); }},
      {"bincount",
       [&] {
         ops::bincount(ops::cast(counted({1, 1, 1}), DType::int32));
       }},
      {"solve", [&] { ops::solve(x, x); }},
      {"norm",
       [&] {
         ops::norm(x, 3, {0, 1});
       }},
      {"qr", [&] { ops::qr(x, "full"); }},
      {"extract_sequences", [&] { ops::extract_sequences(x, 4, 1); }},
  };
  for (const auto& [name, call] : calls) {
    try {
      call();
      ADD_FAILURE() << name << " accepts it";
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(ops::gcd(x, x), TypeError);
}

TEST(Fourier, RefusesScalars) {
  const Tensor x = ops::zeros({});
  EXPECT_THROW(ops::fft({x, x}), ValueError);
  EXPECT_THROW(ops::ifft({x, x}), ValueError);
  EXPECT_THROW(ops::irfft({x, x}), ValueError);
  EXPECT_THROW(ops::rfft(x, 4), ValueError);
  EXPECT_THROW(ops::stft(x, 2, 1, 2), ValueError);
}

TEST(UnravelIndex, NeedsKnownSizes) {
  EXPECT_THROW(ops::unravel_index(ops::arange(3), {2, Shape::kUnknown}), ValueError);
}

TEST(Pad, AsKerasWritesIt) {
  const Tensor x = Tensor::of<float>({{1, 2}, {3, 4}});
  const Tensor y = ops::pad(x, {{1, 0}, {0, 1}});
  EXPECT_EQ(y.shape(), (Shape{3, 3}));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 0, 0, 1, 2, 0, 3, 4, 0}));
  EXPECT_EQ(ops::pad(x, {{0, 0}, {1, 0}}, "constant", 9).to_vector<float>(),
            (std::vector<float>{9, 1, 2, 9, 3, 4}));
  EXPECT_EQ(ops::pad(x, {{0, 0}, {1, 1}}, "reflect").to_vector<float>(),
            (std::vector<float>{2, 1, 2, 1, 4, 3, 4, 3}));
  EXPECT_EQ(ops::pad(x, {{1, 1}}).shape(), (Shape{4, 4}));  // one pair is for all axes
  EXPECT_THROW(ops::pad(x, {{1, 1}, {0, 0}, {0, 0}}), ValueError);
}

TEST(Linalg, NanAndMatricesWithoutElements) {
  const Tensor broken = Tensor::of<float>({1, NAN, 2, 3}, {2, 2});
  for (const float value : ops::svd(broken).s.to_vector<float>()) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(std::isnan(ops::norm(broken, 2.0).item()));
  const std::vector<float> identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const Tensor empty = ops::zeros({3, 0});
  EXPECT_EQ(ops::qr(empty, "complete").q.to_vector<float>(), identity);
  EXPECT_EQ(ops::svd(empty).u.to_vector<float>(), identity);
  EXPECT_THROW(ops::lstsq(ops::ones({2, 2}), Tensor()), ValueError);
}

TEST(Arrays, ProductsHaveKerasDtypes) {
  const Tensor bytes = Tensor::full(DType::int8, {1, 100}, 100);
  const Tensor sum = ops::einsum("ij,kj->ik", {bytes, bytes});
  EXPECT_EQ(sum.dtype(), DType::int32);
  EXPECT_EQ(sum.item(), 1000000);
  // All operands are converted before any is multiplied.
  const Tensor one = Tensor::full(DType::int8, {1}, 100);
  EXPECT_EQ(ops::einsum("i,i,i->", {one, one, ops::ones({1})}).item(), 10000);
  EXPECT_EQ(ops::einsum("ij->i", {Tensor::full(DType::uint8, {2, 3}, 1)}).dtype(), DType::uint8);
  EXPECT_THROW(ops::einsum("ii->i", {ops::ones({2, 3})}), ValueError);
  EXPECT_EQ(
      ops::correlate(Tensor::of<int64_t>({16777217}), Tensor::of<int64_t>({1}), "full").item(),
      16777217);
}

}  // namespace
}  // namespace antler
