// InceptionV3.
#include <string>

#include "antler/applications/models.h"
#include "applications/image_model.h"
#include "applications/inception.h"

namespace antler::applications {
namespace {

const InceptionConv kHalved = {.strides = 2, .padding = "valid"};
const InceptionConv kUnpadded = {.padding = "valid"};

/// mixed0 to mixed2: 35 x 35.
Tensor inception_v3_a(const Tensor& x, int64_t pool_filters, const std::string& name) {
  const Tensor one = inception_conv(x, 64, 1);
  const Tensor five = inception_conv(inception_conv(x, 48, 1), 64, 5);
  Tensor twice = inception_conv(x, 64, 1);
  twice = inception_conv(inception_conv(twice, 96, 3), 96, 3);
  const Tensor pool = inception_conv(inception_average_pool(x), pool_filters, 1);
  return inception_join({one, five, twice, pool}, name);
}

/// mixed3: reduction to 17 x 17.
Tensor inception_v3_a_to_b(const Tensor& x) {
  const Tensor three = inception_conv(x, 384, 3, kHalved);
  Tensor twice = inception_conv(inception_conv(x, 64, 1), 96, 3);
  twice = inception_conv(twice, 96, 3, kHalved);
  return inception_join({three, twice, inception_max_pool(x)}, "mixed3");
}

/// mixed4 to mixed7: 17 x 17, with `inner` channels inside.
Tensor inception_v3_b(const Tensor& x, int64_t inner, const std::string& name) {
  const Tensor one = inception_conv(x, 192, 1);
  Tensor seven = inception_conv(x, inner, 1);
  seven = inception_conv(inception_conv(seven, inner, {1, 7}), 192, {7, 1});
  Tensor twice = inception_conv(x, inner, 1);
  twice = inception_conv(inception_conv(twice, inner, {7, 1}), inner, {1, 7});
  twice = inception_conv(inception_conv(twice, inner, {7, 1}), 192, {1, 7});
  const Tensor pool = inception_conv(inception_average_pool(x), 192, 1);
  return inception_join({one, seven, twice, pool}, name);
}

/// mixed8: reduction to 8 x 8.
Tensor inception_v3_b_to_c(const Tensor& x) {
  const Tensor three = inception_conv(inception_conv(x, 192, 1), 320, 3, kHalved);
  Tensor seven = inception_conv(inception_conv(x, 192, 1), 192, {1, 7});
  seven = inception_conv(inception_conv(seven, 192, {7, 1}), 192, 3, kHalved);
  return inception_join({three, seven, inception_max_pool(x)}, "mixed8");
}

/// mixed9 and mixed10: 8 x 8.
Tensor inception_v3_c(const Tensor& x, int index) {
  const Tensor one = inception_conv(x, 320, 1);
  Tensor three = inception_conv(x, 384, 1);
  const Tensor across = inception_conv(three, 384, {1, 3});
  const Tensor along = inception_conv(three, 384, {3, 1});
  three = inception_join({across, along}, "mixed9_" + std::to_string(index));
  Tensor twice = inception_conv(inception_conv(x, 448, 1), 384, 3);
  const Tensor twice_across = inception_conv(twice, 384, {1, 3});
  const Tensor twice_along = inception_conv(twice, 384, {3, 1});
  twice = inception_join({twice_across, twice_along});
  const Tensor pool = inception_conv(inception_average_pool(x), 192, 1);
  return inception_join({one, three, twice, pool}, "mixed" + std::to_string(9 + index));
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): Keras's name
Model InceptionV3(const ApplicationOptions& options) {
  const Tensor input = begin_model(options, 299, 75);
  Tensor x = inception_conv(input, 32, 3, kHalved);
  x = inception_conv(inception_conv(x, 32, 3, kUnpadded), 64, 3);
  x = inception_max_pool(x);
  x = inception_conv(inception_conv(x, 80, 1, kUnpadded), 192, 3, kUnpadded);
  x = inception_max_pool(x);
  x = inception_v3_a(x, 32, "mixed0");
  x = inception_v3_a(x, 64, "mixed1");
  x = inception_v3_a(x, 64, "mixed2");
  x = inception_v3_a_to_b(x);
  x = inception_v3_b(x, 128, "mixed4");
  x = inception_v3_b(x, 160, "mixed5");
  x = inception_v3_b(x, 160, "mixed6");
  x = inception_v3_b(x, 192, "mixed7");
  x = inception_v3_b_to_c(x);
  x = inception_v3_c(x, 0);
  x = inception_v3_c(x, 1);
  const std::string file = "inception_v3_weights_tf_dim_ordering_tf_kernels";
  return finish_model(
      options, input, end_model(options, x, named_average()), "inception_v3",
      imagenet_weights("https://storage.googleapis.com/tensorflow/keras-applications/inception_v3/",
                       file + ".h5", file + "_notop.h5", "9a0d58056eeedaa3f26cb7ebd46da564",
                       "bcbd6486424b2319ff4ef7d526e38f63"));
}

}  // namespace antler::applications
