// VGG16, VGG19.
#include <string>

#include "antler/applications/models.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/reshaping.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

/// `depth` is the number of convolutions in each of the last three blocks.
Model vgg(const std::string& name, int depth, const char* hash_with_top,
          const char* hash_without_top, const ApplicationOptions& options) {
  const Tensor input = begin_model(options, 224, 32);
  Tensor x = input;
  for (int block = 1; block <= 5; ++block) {
    const std::string prefix = "block" + std::to_string(block);
    const int64_t filters = block < 4 ? 32 << block : 512;
    for (int conv = 1; conv <= (block < 3 ? 2 : depth); ++conv) {
      x = Conv2D(filters, 3,
                 {.padding = "same",
                  .activation = "relu",
                  .name = prefix + "_conv" + std::to_string(conv)})(x);
    }
    x = MaxPooling2D({.pool_size = 2, .strides = 2, .name = prefix + "_pool"})(x);
  }
  if (options.include_top) {
    x = Flatten({.name = "flatten"})(x);
    x = Dense(4096, {.activation = "relu", .name = "fc1"})(x);
    x = Dense(4096, {.activation = "relu", .name = "fc2"})(x);
    x = Dense(options.classes,
              {.activation = options.classifier_activation, .name = "predictions"})(x);
  } else {
    x = pooled(options, x, {});
  }
  const std::string file = name + "_weights_tf_dim_ordering_tf_kernels";
  return finish_model(
      options, input, x, name,
      imagenet_weights("https://storage.googleapis.com/tensorflow/keras-applications/" + name + "/",
                       file + ".h5", file + "_notop.h5", hash_with_top, hash_without_top));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): Keras's names
Model VGG16(const ApplicationOptions& options) {
  return vgg("vgg16", 3, "64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc",
             options);
}
Model VGG19(const ApplicationOptions& options) {
  return vgg("vgg19", 4, "cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6",
             options);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::applications
