#include "antler/ops/nn/convolution.h"

#include "antler/ops/nn/pooling.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using Numbers = std::vector<int64_t>;

Tensor convolve(const Tensor& x, const Tensor& kernel, Numbers strides, const std::string& padding,
                Numbers dilation_rate) {
  ops::ConvDims dims =
      ops::conv_dims(x, kernel, std::move(strides), padding, std::move(dilation_rate));
  // As in Keras, the kernel's shape determines the number of groups.
  const int64_t channels = kernel.dim(kernel.rank() - 2);
  if (channels > 0) dims.groups = x.dim(x.rank() - 1) / channels;
  return ops::conv(x, kernel, dims);
}

}  // namespace

void bind_nn_convolution(nb::module_& m) {
  using nb::literals::operator""_a;
  const Numbers one = {1};
  m.def("conv", &convolve, "x"_a, "kernel"_a, "strides"_a = one, "padding"_a = "valid",
        "dilation_rate"_a = one);
  m.def(
      "depthwise_conv",
      [](const Tensor& x, const Tensor& kernel, Numbers strides, const std::string& padding,
         Numbers dilation_rate) {
        return ops::depthwise_conv(
            x, kernel,
            ops::conv_dims(x, kernel, std::move(strides), padding, std::move(dilation_rate)));
      },
      "x"_a, "kernel"_a, "strides"_a = one, "padding"_a = "valid", "dilation_rate"_a = one);
  m.def("conv_transpose", &ops::transposed_conv, "x"_a, "kernel"_a, "strides"_a = one,
        "padding"_a = "valid", "output_padding"_a = Numbers(), "dilation_rate"_a = one);
  m.def("depth_to_space", &ops::depth_to_space, "x"_a, "block_size"_a);
  m.def("space_to_depth", &ops::space_to_depth, "x"_a, "block_size"_a);

  using Pair = std::pair<int64_t, int64_t>;
  m.def(
      "unfold",
      [](const Tensor& x, Pair kernel_size, Pair dilation, Pair padding, Pair stride) {
        return ops::unfold(x, {kernel_size, dilation, padding, stride});
      },
      "x"_a, "kernel_size"_a, "dilation"_a = Pair(1, 1), "padding"_a = Pair(0, 0),
      "stride"_a = Pair(1, 1));
  m.def(
      "fold",
      [](const Tensor& x, Pair output_size, Pair kernel_size, Pair dilation, Pair padding,
         Pair stride) {
        return ops::fold(x, output_size, {kernel_size, dilation, padding, stride});
      },
      "x"_a, "output_size"_a, "kernel_size"_a, "dilation"_a = Pair(1, 1), "padding"_a = Pair(0, 0),
      "stride"_a = Pair(1, 1));

  m.def(
      "max_pool",
      [](const Tensor& x, Numbers pool_size, Numbers strides, const std::string& padding) {
        return ops::max_pool(x, std::move(pool_size), {std::move(strides), padding});
      },
      "x"_a, "pool_size"_a, "strides"_a = Numbers(), "padding"_a = "valid");
  m.def(
      "average_pool",
      [](const Tensor& x, Numbers pool_size, Numbers strides, const std::string& padding) {
        return ops::average_pool(x, std::move(pool_size), {std::move(strides), padding});
      },
      "x"_a, "pool_size"_a, "strides"_a = Numbers(), "padding"_a = "valid");
  m.def("adaptive_max_pool", &ops::adaptive_max_pool, "x"_a, "output_size"_a, "first_axis"_a = 1);
  m.def("adaptive_average_pool", &ops::adaptive_average_pool, "x"_a, "output_size"_a,
        "first_axis"_a = 1);
}

}  // namespace antler::python
