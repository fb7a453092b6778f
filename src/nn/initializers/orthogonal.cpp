#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/initializers.h"
#include "antler/ops/core.h"
#include "antler/ops/random.h"
#include "nn/initializers/classes.h"
#include "nn/initializers/random_initializer.h"

namespace antler {
namespace initializers {

template <class V>
void fields(V& v, OrthogonalOptions& o) {
  v("seed", o.seed);
  v("gain", o.gain);
}

}  // namespace initializers

namespace {

using initializers::OrthogonalOptions;

/// Makes the columns of a [rows, cols] matrix (rows >= cols, row-major) orthonormal. This is
/// modified Gram-Schmidt that projects each column twice, which is accurate to rounding (Giraud et
/// al. 2005). The diagonal of R is positive, as in Keras after its correction of the signs.
void orthonormalise(std::vector<double>& a, int64_t rows, int64_t cols) {
  const auto at = [&](int64_t r, int64_t c) -> double& {
    return a[static_cast<size_t>(r * cols + c)];
  };
  for (int64_t c = 0; c < cols; ++c) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t k = 0; k < c; ++k) {
        double dot = 0;
        for (int64_t r = 0; r < rows; ++r) dot += at(r, k) * at(r, c);
        for (int64_t r = 0; r < rows; ++r) at(r, c) -= dot * at(r, k);
      }
    }
    double square = 0;
    for (int64_t r = 0; r < rows; ++r) square += at(r, c) * at(r, c);
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (int64_t r = 0; r < rows; ++r) at(r, c) *= scale;
  }
}

class OrthogonalImpl final : public RandomInitializer {
 public:
  OrthogonalImpl(const OrthogonalOptions& options, SeedUse use)
      : RandomInitializer(options.seed, use), options_(options) {}

  Tensor call(const Shape& shape, DType dtype) const override {
    if (shape.rank() < 2) {
      throw ValueError(
          "The tensor to initialize must be at least two-dimensional. Received: shape={} of rank "
          "{}.",
          shape, shape.rank());
    }
    const int64_t cols = shape.back();
    const int64_t rows = cols == 0 ? 0 : shape.num_elements() / cols;
    const int64_t tall = std::max(rows, cols);
    const int64_t narrow = std::min(rows, cols);
    std::vector<double> q =
        ops::random_normal(seed(), {tall, narrow}, 0, 1, DType::float32).to_doubles();
    orthonormalise(q, tall, narrow);
    std::vector<float> values(q.size());
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) {
        const int64_t from = rows < cols ? c * narrow + r : r * narrow + c;
        values[static_cast<size_t>(r * cols + c)] =
            static_cast<float>(options_.gain * q[static_cast<size_t>(from)]);
      }
    }
    return ops::cast(Tensor::of<float>(values, shape), dtype);
  }
  std::string class_name() const override { return "Orthogonal"; }
  Json get_config() const override { return config::write(options_); }

 private:
  OrthogonalOptions options_;
};

}  // namespace

namespace initializers {

Orthogonal::Orthogonal(double gain, OrthogonalOptions options)
    : Orthogonal(by_position<&OrthogonalOptions::gain>("Orthogonal", options, gain)) {}

Orthogonal::Orthogonal(const OrthogonalOptions& options)
    : Initializer(std::make_shared<OrthogonalImpl>(options, SeedUse::once)) {}

InitializerFamily orthogonal_initializers() {
  static constexpr InitializerClass kClasses[] = {
      {"Orthogonal",
       [](const Json& c) -> Initializer {
         return OrthogonalImpl(config::read<OrthogonalOptions>(c, "Orthogonal"), SeedUse::each_use);
       },
       {"OrthogonalInitializer"}},
  };
  return kClasses;
}

}  // namespace initializers
}  // namespace antler
