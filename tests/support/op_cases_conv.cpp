#include <algorithm>
#include <string>

#include "support/elements.h"
#include "support/op_cases.h"

namespace antler::test {
namespace {

using ir::Ints;

struct Conv {
  const char* name;
  Shape x;
  Shape w;
  Ints strides, low, high, lhs, rhs;
  int64_t groups = 1;

  ir::Attrs attrs() const {
    return {{"strides", strides},  {"pad_low", low},      {"pad_high", high},
            {"lhs_dilation", lhs}, {"rhs_dilation", rhs}, {"groups", groups}};
  }
  Shape y() const {
    Shape shape{x[0]};
    for (size_t i = 0; i < strides.size(); ++i) {
      const int64_t n = x.dims()[i + 1];
      const int64_t spread = n == 0 ? 0 : (n - 1) * lhs[i] + 1;
      const int64_t room = spread + low[i] + high[i] - ((w.dims()[i] - 1) * rhs[i] + 1);
      shape.push_back(room < 0 ? 0 : room / strides[i] + 1);
    }
    shape.push_back(w.back());
    return shape;
  }
};

std::vector<Conv> convolutions() {
  return {
      {"1-D", {2, 7, 3}, {3, 3, 2}, {1}, {0}, {0}, {1}, {1}},
      {"same", {2, 5, 4, 2}, {3, 2, 2, 3}, {1, 1}, {1, 0}, {1, 1}, {1, 1}, {1, 1}},
      {"stride", {1, 7, 6, 1}, {3, 2, 1, 2}, {2, 3}, {1, 0}, {0, 2}, {1, 1}, {1, 1}},
      {"atrous", {1, 7, 6, 2}, {2, 3, 2, 1}, {1, 1}, {1, 2}, {0, 2}, {1, 1}, {3, 2}},
      {"transposed", {1, 3, 4, 2}, {3, 3, 2, 2}, {1, 1}, {2, 1}, {2, 3}, {2, 3}, {1, 1}},
      {"cropped", {1, 6, 5, 2}, {2, 2, 2, 2}, {1, 2}, {-1, 2}, {-2, -1}, {1, 1}, {1, 1}},
      {"cropped holes", {1, 4, 1}, {2, 1, 1}, {2}, {-2}, {1}, {3}, {2}},
      {"groups", {1, 4, 3, 4}, {2, 2, 2, 6}, {1, 1}, {0, 1}, {1, 0}, {1, 1}, {1, 1}, 2},
      {"depthwise", {1, 4, 3, 3}, {2, 2, 1, 6}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 3},
      {"3-D",
       {1, 3, 4, 2, 2},
       {2, 3, 2, 2, 2},
       {1, 2, 1},
       {0, 1, 1},
       {1, 1, 0},
       {1, 1, 1},
       {1, 1, 1}},
      {"everything", {1, 4, 3, 2}, {2, 2, 1, 4}, {2, 1}, {1, -1}, {2, 1}, {2, 3}, {2, 1}, 2},
      {"one", {1, 1, 1}, {1, 1, 1}, {1}, {0}, {0}, {1}, {1}},
      {"no batch", {0, 4, 2}, {3, 2, 2}, {1}, {0}, {0}, {1}, {1}},
      {"no output", {1, 2, 2}, {3, 2, 2}, {1}, {0}, {0}, {1}, {1}},
      {"only padding", {1, 0, 1}, {2, 1, 1}, {1}, {1}, {2}, {1}, {1}},
      {"no channels", {1, 4, 0}, {3, 0, 2}, {1}, {0}, {0}, {1}, {1}},
  };
}

// Of a filter's gradient that is computed by its definition.
constexpr int64_t kMostProducts = 300000;

/// One spatial index of x behind output index o and kernel index k; -1 for none.
int64_t meets(const Conv& c, size_t i, int64_t o, int64_t k) {
  const int64_t at = o * c.strides[i] - c.low[i] + k * c.rhs[i];
  if (at < 0 || at % c.lhs[i] != 0 || at / c.lhs[i] >= c.x.dims()[i + 1]) return -1;
  return at / c.lhs[i];
}

/// y as the definition of a convolution says, output by output.
std::vector<double> convolve(const Conv& c, const Tensor& x, const Tensor& w) {
  const View xv(x);
  const View wv(w);
  const int64_t outputs_of_group = c.w.back() / c.groups;
  return elements(c.y(), [&](const Index& o) {
    double sum = 0;
    elements(Shape(c.w.begin(), c.w.end() - 1), [&](const Index& k) {  // spatial..., channel
      const int64_t group = o.back() / outputs_of_group;
      Index at = {o[0]};
      for (size_t i = 0; i < c.strides.size(); ++i) {
        at.push_back(meets(c, i, o[i + 1], k[i]));
        if (at.back() < 0) return 0.0;
      }
      at.push_back(group * c.w.dim(-2) + k.back());
      Index kernel = k;
      kernel.push_back(o.back());
      sum += xv(at) * wv(kernel);
      return 0.0;
    });
    return sum;
  });
}

/// Gradient by the elements of `moving` of the weighted sum of a convolution: the convolution is
/// linear, so its value at a unit vector is the answer.
template <class F>
std::vector<double> by_unit_vectors(const Tensor& moving, const Tensor& dy, F&& convolve_with) {
  const std::vector<double> weights = dy.to_doubles();
  std::vector<double> result;
  for (int64_t i = 0; i < moving.size(); ++i) {
    std::vector<double> unit(static_cast<size_t>(moving.size()), 0.0);
    unit[static_cast<size_t>(i)] = 1;
    const std::vector<double> y = convolve_with(tensor_of(DType::float64, moving.shape(), unit));
    double sum = 0;
    for (size_t k = 0; k < y.size(); ++k) sum += y[k] * weights[k];
    result.push_back(sum);
  }
  return result;
}

void add(OpCases& cases, const Conv& c, DType dtype, bool second_order) {
  const Tensor x = random_tensor(dtype, c.x, -1, 1, 1);
  const Tensor w = random_tensor(dtype, c.w, -1, 1, 2);
  const Tensor dy = random_tensor(dtype, c.y(), -1, 1, 3);
  const double tolerance = dtype == DType::bfloat16 ? 0.02 : -1;
  const std::string name = std::string(c.name) + " " + dtype_name(dtype);
  cases.push_back({.op = "conv",
                   .name = name,
                   .inputs = {x, w},
                   .attrs = c.attrs(),
                   .expected = {convolve(c, x, w)},
                   .tolerance = tolerance,
                   .second_order = second_order});
  ir::Attrs input_grad = c.attrs();
  input_grad.set("input_shape", c.x.dims());
  cases.push_back({.op = "conv_input_grad",
                   .name = name,
                   .inputs = {dy, w},
                   .attrs = input_grad,
                   .expected = {by_unit_vectors(
                       x, dy, [&](const Tensor& unit) { return convolve(c, unit, w); })},
                   .tolerance = tolerance,
                   .second_order = second_order});
  ir::Attrs filter_grad = c.attrs();
  filter_grad.set("filter_shape", c.w.dims());
  cases.push_back({.op = "conv_filter_grad",
                   .name = name,
                   .inputs = {x, dy},
                   .attrs = filter_grad,
                   .expected = {by_unit_vectors(
                       w, dy, [&](const Tensor& unit) { return convolve(c, x, unit); })},
                   .tolerance = tolerance,
                   .second_order = second_order});
}

/// dw as the definition of a convolution says, element by element.
std::vector<double> filter_grad(const Conv& c, const Tensor& x, const Tensor& dy) {
  const View xv(x);
  const View dyv(dy);
  return elements(c.w, [&](const Index& k) {  // spatial..., channel, output
    double sum = 0;
    elements(Shape(dy.shape().begin(), dy.shape().end() - 1), [&](const Index& o) {
      Index at = {o[0]};
      for (size_t i = 0; i < c.strides.size(); ++i) {
        at.push_back(meets(c, i, o[i + 1], k[i]));
        if (at.back() < 0) return 0.0;
      }
      at.push_back(k[k.size() - 2]);
      Index result = o;
      result.push_back(k.back());
      sum += xv(at) * dyv(result);
      return 0.0;
    });
    return sum;
  });
}

/// relu(conv + bias), pooled by windows of 2 x 2, and the way back.
void add_pooled(OpCases& cases, const Conv& c) {
  const Tensor x = random_tensor(DType::float32, c.x, -1, 1, 1);
  const Tensor w = random_tensor(DType::float32, c.w, -1, 1, 2);
  const Tensor bias = random_tensor(DType::float32, {c.w.back()}, -1, 1, 3);
  std::vector<double> image = convolve(c, x, w);
  const std::vector<double> biases = bias.to_doubles();
  for (size_t i = 0; i < image.size(); ++i) {
    image[i] = std::max(image[i] + biases[i % biases.size()], 0.0);
  }
  const Shape whole = c.y();
  const Shape small{whole[0], whole[1] / 2, whole[2] / 2, whole[3]};
  std::vector<double> winners;
  const auto at = [&](const Index& o, int64_t tap) {
    const int64_t row = o[1] * 2 + tap / 2;
    const int64_t column = o[2] * 2 + tap % 2;
    return static_cast<size_t>(((o[0] * whole[1] + row) * whole[2] + column) * whole[3] + o[3]);
  };
  const std::vector<double> pooled = elements(small, [&](const Index& o) {
    int64_t best = 0;
    for (int64_t tap = 1; tap < 4; ++tap) {
      if (image[at(o, tap)] > image[at(o, best)]) best = tap;
    }
    winners.push_back(static_cast<double>(best));
    return image[at(o, best)];
  });
  ir::Attrs attrs = c.attrs();
  attrs.set("pool_window", Ints{1, 2, 2, 1});
  attrs.set("pool_strides", Ints{1, 2, 2, 1});
  cases.push_back({.op = "conv_relu_pool",
                   .name = c.name,
                   .inputs = {x, w, bias},
                   .attrs = attrs,
                   .expected = {pooled, winners}});
  const Tensor dy = random_tensor(DType::float32, small, -1, 1, 4);
  const std::vector<double> grads = dy.to_doubles();
  std::vector<double> dx(image.size(), 0.0);
  size_t i = 0;
  elements(small, [&](const Index& o) {
    dx[at(o, static_cast<int64_t>(winners[i]))] = grads[i];
    ++i;
    return 0.0;
  });
  cases.push_back({.op = "pool_scatter",
                   .name = c.name,
                   .inputs = {tensor_of(DType::uint8, small, winners), dy},
                   .attrs = {{"input_shape", whole.dims()},
                             {"pool_window", Ints{1, 2, 2, 1}},
                             {"pool_strides", Ints{1, 2, 2, 1}}},
                   .expected = {dx}});
  if (Shape(c.w).num_elements() * whole.num_elements() > kMostProducts * whole.back()) return;
  ir::Attrs with_filter = attrs;
  with_filter.set("filter_shape", Shape(c.w).dims());
  cases.push_back({.op = "conv_pool_filter_grad",
                   .name = c.name,
                   .inputs = {x, tensor_of(DType::uint8, small, winners), dy},
                   .attrs = with_filter,
                   .expected = {filter_grad(c, x, tensor_of(DType::float32, whole, dx))}});
}

}  // namespace

OpCases conv_cases() {
  OpCases cases;
  add_pooled(cases, {"same", {2, 5, 4, 2}, {3, 2, 2, 3}, {1, 1}, {1, 0}, {1, 1}, {1, 1}, {1, 1}});
  add_pooled(cases, {"wide", {9, 11, 9, 8}, {3, 3, 8, 21}, {1, 1}, {0, 1}, {0, 1}, {1, 1}, {1, 1}});
  add_pooled(cases, {"stride", {3, 9, 9, 3}, {3, 3, 3, 8}, {2, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
  // One image, which threads share.
  add_pooled(cases,
             {"bands", {1, 19, 14, 8}, {3, 3, 8, 32}, {1, 1}, {1, 0}, {1, 2}, {1, 1}, {2, 1}});
  add_pooled(
      cases,
      {"strided bands", {1, 41, 14, 8}, {5, 3, 8, 32}, {2, 1}, {2, 1}, {1, 1}, {1, 1}, {1, 1}});
  add_pooled(
      cases,
      {"cropped bands", {1, 24, 16, 8}, {3, 3, 8, 32}, {1, 1}, {-3, 0}, {-2, 0}, {1, 1}, {1, 1}});
  for (const Conv& c : convolutions()) add(cases, c, DType::float32, c.x.num_elements() < 40);
  add(cases, convolutions()[1], DType::float64, true);
  add(cases, convolutions()[1], DType::bfloat16, false);
  return cases;
}

}  // namespace antler::test
