#include <algorithm>
#include <string>

#include "support/elements.h"
#include "support/op_cases.h"

namespace antler::test {
namespace {

using ir::Ints;

constexpr DType kOneOfEachSize[] = {DType::float32, DType::float64, DType::bfloat16, DType::int8,
                                    DType::boolean};

struct Cases {
  OpCases list;

  void add(const char* op, const std::string& name, Tensors inputs, ir::Attrs attrs,
           const Shape& out, const std::function<double(const Index&)>& f) {
    list.push_back({.op = op,
                    .name = name,
                    .inputs = std::move(inputs),
                    .attrs = std::move(attrs),
                    .expected = {elements(out, f)}});
  }
};

void add_iota(Cases& cases) {
  const auto add = [&](DType dtype, const Shape& shape, int64_t axis) {
    cases.add("iota", dtype_name(dtype), {},
              {{"shape", shape.dims()}, {"axis", axis}, {"dtype", dtype}}, shape,
              [=](const Index& i) { return static_cast<double>(i[static_cast<size_t>(axis)]); });
  };
  for (DType dtype : {DType::int32, DType::int64, DType::uint8, DType::float32, DType::float16}) {
    add(dtype, {5}, 0);
    add(dtype, {2, 7}, 1);
  }
  add(DType::int32, {3, 2, 4}, 0);
  add(DType::int32, {3, 2, 4}, 1);
  add(DType::int32, {3, 0}, 1);
}

void add_views(Cases& cases) {
  const auto broadcast = [&](const Tensor& x, const Shape& out, const Ints& dims) {
    const View v(x);
    cases.add("broadcast", x.str(), {x}, {{"shape", out.dims()}, {"dims", dims}}, out,
              [=](const Index& o) {
                Index i;
                for (size_t d = 0; d < dims.size(); ++d) {
                  const bool one = x.shape().dims()[d] == 1;
                  i.push_back(one ? 0 : o[static_cast<size_t>(dims[d])]);
                }
                return v(i);
              });
  };
  const auto reshape = [&](const Tensor& x, const Shape& out) {
    const std::vector<double> values = x.to_doubles();
    cases.list.push_back({.op = "reshape",
                          .name = x.str(),
                          .inputs = {x},
                          .attrs = {{"shape", out.dims()}},
                          .expected = {values}});
  };
  const auto transpose = [&](const Tensor& x, const Ints& perm) {
    const View v(x);
    Shape out;
    for (int64_t p : perm) out.push_back(x.shape()[static_cast<int>(p)]);
    cases.add("transpose", x.str(), {x}, {{"perm", perm}}, out, [=](const Index& o) {
      Index i(perm.size());
      for (size_t d = 0; d < perm.size(); ++d) i[static_cast<size_t>(perm[d])] = o[d];
      return v(i);
    });
  };
  const auto reverse = [&](const Tensor& x, const Ints& axes) {
    const View v(x);
    cases.add("reverse", x.str(), {x}, {{"axes", axes}}, x.shape(), [=](Index i) {
      for (int64_t a : axes) {
        const auto d = static_cast<size_t>(a);
        i[d] = x.shape().dims()[d] - 1 - i[d];
      }
      return v(i);
    });
  };
  for (DType dtype : kOneOfEachSize) {
    broadcast(random_tensor(dtype, {3, 1}, -9, 9), {2, 3, 5}, {1, 2});
    reshape(random_tensor(dtype, {2, 3, 5}, -9, 9), {6, 5});
    transpose(random_tensor(dtype, {2, 3, 5}, -9, 9), {2, 0, 1});
    reverse(random_tensor(dtype, {3, 5}, -9, 9), {1});
  }
  const auto f = [](const Shape& shape) { return random_tensor(DType::float32, shape); };
  broadcast(f({}), {2, 3}, {});
  broadcast(f({4}), {4, 3}, {0});
  broadcast(f({1}), {1, 7}, {0});
  broadcast(f({2, 3}), {2, 1, 3}, {0, 2});
  broadcast(f({1, 3}), {0, 3}, {0, 1});
  broadcast(f({}), {0}, {});
  reshape(f({1}), {});
  reshape(f({}), {1, 1});
  reshape(f({0, 3}), {7, 0});
  transpose(f({3, 5}), {1, 0});
  transpose(f({2, 3, 1, 2}), {3, 1, 0, 2});
  transpose(f({0, 3}), {1, 0});
  reverse(f({1}), {0});
  reverse(f({2, 3, 2}), {0, 2});
  reverse(f({0, 2}), {0, 1});
}

void add_slices(Cases& cases) {
  const auto slice = [&](const Tensor& x, const Ints& starts, const Ints& limits,
                         const Ints& strides, const Shape& out) {
    const View v(x);
    cases.add("slice", x.str(), {x}, {{"starts", starts}, {"limits", limits}, {"strides", strides}},
              out, [=](Index i) {
                for (size_t d = 0; d < i.size(); ++d) i[d] = starts[d] + i[d] * strides[d];
                return v(i);
              });
  };
  const auto clamped = [](const Tensor& x, const Ints& starts, const Shape& block) {
    Ints result;
    for (size_t d = 0; d < starts.size(); ++d) {
      const int64_t last = x.shape().dims()[d] - block.dims()[d];
      result.push_back(std::clamp<int64_t>(starts[d], 0, last));
    }
    return result;
  };
  const auto dynamic_slice = [&](const Tensor& x, const Ints& starts, const Shape& block) {
    const View v(x);
    const Ints corner = clamped(x, starts, block);
    cases.add("dynamic_slice", x.str(), {x, Tensor::of(starts)}, {{"sizes", block.dims()}}, block,
              [=](Index i) {
                for (size_t d = 0; d < i.size(); ++d) i[d] += corner[d];
                return v(i);
              });
  };
  const auto dynamic_update = [&](const Tensor& x, const Tensor& update, const Ints& starts) {
    const View old(x);
    const View fresh(update);
    const Ints corner = clamped(x, starts, update.shape());
    std::vector<int32_t> starts32(starts.begin(), starts.end());
    cases.add("dynamic_update_slice", x.str(), {x, update, Tensor::of(starts32)}, {}, x.shape(),
              [=](const Index& i) {
                Index inside;
                for (size_t d = 0; d < i.size(); ++d) {
                  const int64_t at = i[d] - corner[d];
                  if (at < 0 || at >= update.shape().dims()[d]) return old(i);
                  inside.push_back(at);
                }
                return fresh(inside);
              });
  };
  for (DType dtype : kOneOfEachSize) {
    const Tensor x = random_tensor(dtype, {4, 7}, -9, 9);
    slice(x, {1, 0}, {3, 7}, {1, 2}, {2, 4});
    dynamic_slice(x, {1, 3}, {2, 2});
    dynamic_update(x, random_tensor(dtype, {2, 3}, -9, 9, 2), {1, 3});
  }
  const auto f = [](const Shape& shape) { return random_tensor(DType::float32, shape); };
  slice(f({9}), {1}, {9}, {3}, {3});
  slice(f({9}), {0}, {8}, {3}, {3});
  slice(f({2, 3, 4}), {1, 2, 0}, {2, 3, 4}, {1, 1, 3}, {1, 1, 2});
  slice(f({5}), {5}, {5}, {1}, {0});
  slice(f({5}), {2}, {2}, {4}, {0});
  slice(f({}), {}, {}, {}, {});
  dynamic_slice(f({5}), {9}, {2});
  dynamic_slice(f({5}), {-3}, {2});
  dynamic_slice(f({5}), {1}, {0});
  dynamic_slice(f({}), {}, {});
  dynamic_update(f({5}), f({2}), {9});
  dynamic_update(f({5}), f({5}), {-1});
  dynamic_update(f({5}), f({0}), {2});
}

void add_padding(Cases& cases) {
  const auto pad = [&](const Tensor& x, double value, const Ints& low, const Ints& high,
                       const Ints& interior) {
    const View v(x);
    Shape out;
    for (size_t d = 0; d < low.size(); ++d) {
      const int64_t n = x.shape().dims()[d];
      out.push_back(low[d] + high[d] + n + std::max<int64_t>(n - 1, 0) * interior[d]);
    }
    cases.add("pad", x.str(), {x, tensor_of(x.dtype(), {}, {value})},
              {{"low", low}, {"high", high}, {"interior", interior}}, out, [=](Index i) {
                for (size_t d = 0; d < i.size(); ++d) {
                  i[d] -= low[d];
                  const int64_t step = interior[d] + 1;
                  if (i[d] < 0 || i[d] % step != 0 || i[d] / step >= x.shape().dims()[d]) {
                    return value;
                  }
                  i[d] /= step;
                }
                return v(i);
              });
  };
  for (DType dtype : kOneOfEachSize) {
    pad(random_tensor(dtype, {2, 3}, -9, 9), 1, {1, 0}, {0, 2}, {0, 0});
    pad(random_tensor(dtype, {2, 3}, -9, 9), 1, {1, -1}, {-1, 2}, {2, 1});
  }
  const auto f = [](const Shape& shape) { return random_tensor(DType::float32, shape); };
  pad(f({5}), 0, {-2}, {-1}, {0});
  pad(f({3}), 0.5, {-2}, {4}, {1});
  pad(f({3}), 0.5, {2}, {-3}, {2});
  pad(f({4}), 0, {-2}, {-2}, {0});
  pad(f({0}), 2, {1}, {2}, {3});
  pad(f({1, 0}), 2, {1, 0}, {0, 0}, {0, 0});
  pad(f({1}), 2, {0}, {0}, {3});
  pad(f({}), 2, {}, {}, {});
}

void add_concatenation(Cases& cases) {
  const auto concatenate = [&](const Tensors& xs, int64_t axis) {
    const auto a = static_cast<size_t>(axis);
    Shape out = xs[0].shape();
    std::vector<View> views;
    for (size_t k = 0; k < xs.size(); ++k) {
      views.emplace_back(xs[k]);
      if (k > 0) out[static_cast<int>(axis)] += xs[k].shape().dims()[a];
    }
    cases.add("concatenate", xs[0].str(), xs, {{"axis", axis}}, out, [=](Index i) {
      size_t k = 0;
      for (; i[a] >= xs[k].shape().dims()[a]; ++k) i[a] -= xs[k].shape().dims()[a];
      return views[k](i);
    });
  };
  for (DType dtype : kOneOfEachSize) {
    concatenate({random_tensor(dtype, {2, 3}, -9, 9), random_tensor(dtype, {2, 1}, -9, 9, 2),
                 random_tensor(dtype, {2, 2}, -9, 9, 3)},
                1);
  }
  const auto f = [](const Shape& shape) { return random_tensor(DType::float32, shape); };
  concatenate({f({2, 3}), f({1, 3})}, 0);
  concatenate({f({2, 1, 2}), f({2, 0, 2}), f({2, 3, 2})}, 1);
  concatenate({f({0}), f({0})}, 0);
  concatenate({f({3})}, 0);
}

/// Passes on the first value; the second is only a dependency.
void add_barrier(Cases& cases) {
  for (DType dtype : kOneOfEachSize) {
    const Tensor x = random_tensor(dtype, {2, 3}, -9, 9);
    const Tensor after = random_tensor(DType::float32, {4});
    const View view(x);
    cases.add("optimization_barrier", x.str(), {x, after}, {{"values", int64_t{1}}}, x.shape(),
              [=](const Index& i) { return view(i); });
  }
}

}  // namespace

OpCases movement_cases() {
  Cases cases;
  add_iota(cases);
  add_views(cases);
  add_slices(cases);
  add_padding(cases);
  add_concatenation(cases);
  add_barrier(cases);
  return std::move(cases.list);
}

}  // namespace antler::test
