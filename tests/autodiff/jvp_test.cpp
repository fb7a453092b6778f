#include "antler/autodiff/jvp.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "support/op_harness.h"

namespace antler {
namespace {

// keras.ops.jvp of Keras 3.15 (JAX) for f(a, b) = (sin(a) b, sum(a a)), and a third output that
// hangs on neither.
TEST(Jvp, IsKerass) {
  const Tensor a = Tensor::of<float>({0.1F, 0.7F, -1.2F});
  const Tensor b = Tensor::of<float>({2, -3, 0.5F});
  const JvpResult result = jvp(
      [](const Tensors& x) {
        return Tensors{ops::sin(x[0]) * x[1], ops::sum(ops::square(x[0])), Tensor::of<float>({1})};
      },
      {a, b}, {Tensor::of<float>({1, 0.5F, -2}), Tensor::of<float>({0, 1, 3})});
  ASSERT_EQ(result.outputs.size(), 3U);
  test::expect_close(result.outputs[0], {0.1996668428, -1.9326529503, -0.4660195410}, 1e-6);
  test::expect_close(result.tangents[0], {1.9900083542, -0.5030456781, -3.1584749222}, 1e-6);
  test::expect_close(result.tangents[1], {5.7000002861}, 1e-6);
  EXPECT_EQ(result.tangents[2].to_doubles(), (std::vector<double>{0}));
  EXPECT_THROW(jvp([](const Tensors& x) { return x; }, {a}, {}), ValueError);
  EXPECT_THROW(jvp([](const Tensors& x) { return x; }, {a}, {Tensor::of<float>({1})}), ValueError);
}

}  // namespace
}  // namespace antler
