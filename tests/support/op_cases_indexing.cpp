#include <algorithm>
#include <string>

#include "support/elements.h"
#include "support/op_cases.h"

namespace antler::test {
namespace {

using ir::Ints;

int64_t clamp_index(double index, int64_t size) {
  return std::clamp<int64_t>(static_cast<int64_t>(index), 0, size - 1);
}

double combine(const std::string& mode, double old, double update) {
  if (mode == "add") return old + update;
  if (mode == "mul") return old * update;
  if (mode == "max") return std::max(old, update);
  if (mode == "min") return std::min(old, update);
  return update;
}

Shape block_shape(const Shape& x, int64_t depth) { return Shape(x.begin() + depth, x.end()); }

void add_gather(OpCases& cases) {
  const auto gather = [&](const Tensor& x, const Tensor& indices, int64_t axis) {
    const View v(x);
    const View index(indices);
    const auto a = static_cast<size_t>(axis);
    const auto rank = static_cast<size_t>(indices.rank());
    std::vector<int64_t> out(x.shape().begin(), x.shape().begin() + axis);
    out.insert(out.end(), indices.shape().begin(), indices.shape().end());
    out.insert(out.end(), x.shape().begin() + axis + 1, x.shape().end());
    const auto f = [&](const Index& o) {
      const Index place(o.begin() + axis, o.begin() + axis + static_cast<std::ptrdiff_t>(rank));
      Index i(o.begin(), o.begin() + axis);
      i.push_back(clamp_index(index(place), x.shape().dims()[a]));
      i.insert(i.end(), o.begin() + axis + static_cast<std::ptrdiff_t>(rank), o.end());
      return v(i);
    };
    cases.push_back({.op = "gather",
                     .name = x.str(),
                     .inputs = {x, indices},
                     .attrs = {{"axis", axis}},
                     .expected = {elements(Shape(out), f)}});
  };
  const Tensor indices = tensor_of(DType::int32, {2, 2}, {2, 0, 1, 2});
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::int8}) {
    gather(random_tensor(dtype, {3, 5}, -9, 9), indices, 0);
  }
  const Tensor x = random_tensor(DType::float32, {2, 3, 4});
  gather(x, indices, 1);
  gather(x, tensor_of(DType::int64, {3}, {3, 3, 0}), 2);
  gather(x, tensor_of(DType::uint8, {}, {1}), 0);
  gather(x, tensor_of(DType::int32, {3}, {-1, 9, 1}), 1);
  gather(x, tensor_of(DType::int32, {0}, {}), 1);
  gather(random_tensor(DType::float32, {3, 0}), tensor_of(DType::int32, {2}, {0, 2}), 0);
  gather(random_tensor(DType::float32, {1}), tensor_of(DType::int32, {3}, {0, 0, 0}), 0);
}

void add_gather_nd(OpCases& cases) {
  const auto gather_nd = [&](const Tensor& x, const Tensor& indices) {
    const View v(x);
    const View index(indices);
    const int64_t depth = indices.shape().back();
    std::vector<int64_t> out(indices.shape().begin(), indices.shape().end() - 1);
    const auto places = static_cast<std::ptrdiff_t>(out.size());
    const Shape block = block_shape(x.shape(), depth);
    out.insert(out.end(), block.begin(), block.end());
    const auto f = [&](const Index& o) {
      Index i;
      for (int64_t d = 0; d < depth; ++d) {
        Index place(o.begin(), o.begin() + places);
        place.push_back(d);
        i.push_back(clamp_index(index(place), x.shape()[static_cast<int>(d)]));
      }
      i.insert(i.end(), o.begin() + places, o.end());
      return v(i);
    };
    cases.push_back({.op = "gather_nd",
                     .name = x.str(),
                     .inputs = {x, indices},
                     .expected = {elements(Shape(out), f)}});
  };
  for (DType dtype : {DType::float32, DType::float64, DType::bfloat16, DType::uint8}) {
    gather_nd(random_tensor(dtype, {3, 5}, 0, 9), tensor_of(DType::int32, {2, 2}, {2, 4, 0, 1}));
  }
  const Tensor x = random_tensor(DType::float32, {2, 3, 4});
  gather_nd(x, tensor_of(DType::int32, {3, 1}, {1, 0, 1}));
  gather_nd(x, tensor_of(DType::int64, {2, 2, 2}, {0, 1, 1, 2, 0, 1, 0, 0}));
  gather_nd(x, tensor_of(DType::int32, {3}, {1, 2, 3}));
  gather_nd(x, tensor_of(DType::int32, {2, 2}, {-5, 1, 9, 9}));
  gather_nd(x, tensor_of(DType::int32, {0, 2}, {}));
  gather_nd(x, tensor_of(DType::int32, {2, 0}, {}));
}

void add_scatter(OpCases& cases) {
  const auto scatter = [&](const Tensor& x, const Tensor& indices, const Tensor& updates,
                           const std::string& mode, int64_t axis) {
    const View v(x);
    const View update(updates);
    const std::vector<double> list = indices.to_doubles();
    // Each element of x collects the updates whose index names it, in order.
    const auto f = [&](const Index& i) {
      double value = v(i);
      for (size_t k = 0; k < list.size(); ++k) {
        if (static_cast<int64_t>(list[k]) != i[static_cast<size_t>(axis)]) continue;
        Index u(i.begin(), i.begin() + axis);
        int64_t rest = static_cast<int64_t>(k);
        Index place(static_cast<size_t>(indices.rank()));
        for (size_t d = place.size(); d-- > 0; rest /= indices.shape().dims()[d]) {
          place[d] = rest % indices.shape().dims()[d];
        }
        u.insert(u.end(), place.begin(), place.end());
        u.insert(u.end(), i.begin() + axis + 1, i.end());
        value = combine(mode, value, update(u));
      }
      return value;
    };
    cases.push_back({.op = "scatter",
                     .name = mode + " into " + x.str(),
                     .inputs = {x, indices, updates},
                     .attrs = {{"axis", axis}, {"mode", mode}},
                     .expected = {elements(x.shape(), f)},
                     .tolerance = x.dtype() == DType::float32 ? 1e-6 : -1});
  };
  const auto f = [](const Shape& shape, uint32_t seed) {
    return random_tensor(DType::float32, shape, 0.5, 2, seed);
  };
  for (const char* mode : {"set", "add", "mul", "max", "min"}) {
    const Tensor twice = tensor_of(DType::int32, {3}, {2, 0, 2});
    scatter(f({4, 2}, 1), twice, f({3, 2}, 2), mode, 0);
    scatter(f({2, 4}, 1), twice, f({2, 3}, 2), mode, 1);
    scatter(f({3, 2, 2}, 1), tensor_of(DType::int64, {2, 2}, {1, 0, 1, 1}), f({3, 2, 2, 2}, 2),
            mode, 1);
    scatter(f({3}, 1), tensor_of(DType::int32, {}, {1}), f({}, 2), mode, 0);
    scatter(f({3}, 1), tensor_of(DType::int32, {3}, {-1, 5, 1}), f({3}, 2), mode, 0);
    scatter(f({3}, 1), tensor_of(DType::int32, {0}, {}), f({0}, 2), mode, 0);
    scatter(f({3, 0}, 1), tensor_of(DType::int32, {2}, {1, 1}), f({2, 0}, 2), mode, 0);
    scatter(random_tensor(DType::int16, {4}, -9, 9), twice,
            random_tensor(DType::int16, {3}, -9, 9, 2), mode, 0);
  }
  // Zeros among the factors: no quotient may be used for the gradient.
  scatter(f({3}, 1), tensor_of(DType::int32, {4}, {0, 0, 1, 2}),
          tensor_of(DType::float32, {4}, {0, 2, 0, 3}), "mul", 0);
  cases.back().second_order = false;  // not given at zeros
}

void add_scatter_nd(OpCases& cases) {
  const auto scatter_nd = [&](const Tensor& x, const Tensor& indices, const Tensor& updates,
                              const std::string& mode) {
    const View v(x);
    const View index(indices);
    const View update(updates);
    const int64_t depth = indices.shape().back();
    const Shape places(indices.shape().begin(), indices.shape().end() - 1);
    const auto f = [&](const Index& i) {
      double value = v(i);
      elements(places, [&](const Index& place) {
        for (int64_t d = 0; d < depth; ++d) {
          Index at = place;
          at.push_back(d);
          if (static_cast<int64_t>(index(at)) != i[static_cast<size_t>(d)]) return 0.0;
        }
        Index u = place;
        u.insert(u.end(), i.begin() + depth, i.end());
        value = combine(mode, value, update(u));
        return 0.0;
      });
      return value;
    };
    cases.push_back({.op = "scatter_nd",
                     .name = mode + " into " + x.str(),
                     .inputs = {x, indices, updates},
                     .attrs = {{"mode", mode}},
                     .expected = {elements(x.shape(), f)},
                     .tolerance = x.dtype() == DType::float32 ? 1e-6 : -1});
  };
  const auto f = [](const Shape& shape, uint32_t seed) {
    return random_tensor(DType::float32, shape, 0.5, 2, seed);
  };
  for (const char* mode : {"set", "add", "mul", "max", "min"}) {
    const Tensor twice = tensor_of(DType::int32, {3, 2}, {1, 2, 0, 0, 1, 2});
    scatter_nd(f({2, 3}, 1), twice, f({3}, 2), mode);
    scatter_nd(f({2, 3, 2}, 1), twice, f({3, 2}, 2), mode);
    scatter_nd(f({3, 2}, 1), tensor_of(DType::int64, {2, 1, 1}, {2, 2}), f({2, 1, 2}, 2), mode);
    scatter_nd(f({2, 2}, 1), tensor_of(DType::int32, {2, 2}, {0, -1, 1, 0}), f({2}, 2), mode);
    scatter_nd(f({2}, 1), tensor_of(DType::int32, {2, 0}, {}), f({2, 2}, 2), mode);
    scatter_nd(f({2}, 1), tensor_of(DType::int32, {0, 1}, {}), f({0}, 2), mode);
    scatter_nd(random_tensor(DType::int32, {2, 3}, -9, 9), twice,
               random_tensor(DType::int32, {3}, -9, 9, 2), mode);
  }
}

}  // namespace

OpCases indexing_cases() {
  OpCases cases;
  add_gather(cases);
  add_gather_nd(cases);
  add_scatter(cases);
  add_scatter_nd(cases);
  return cases;
}

}  // namespace antler::test
