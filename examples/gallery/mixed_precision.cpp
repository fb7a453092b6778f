// Mixed precision: layers compute in bfloat16 and keep their weights in float32. It pays on CPUs
// that multiply in bfloat16 (AVX512-BF16, AMX) and on accelerators.

#include <chrono>

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

struct Result {
  double accuracy;
  double seconds;
};

Result train(const char* policy, int64_t epochs) {
  set_random_seed(1);
  mixed_precision::set_global_policy(policy);
  const auto [train, test] = data::digits();
  const Tensor images = Input({8, 8, 1});
  Tensor x = Conv2D(64, 3, kw::padding = "same", kw::activation = "relu")(images);
  x = Conv2D(64, 3, kw::padding = "same", kw::activation = "relu")(x);
  x = Flatten()(MaxPooling2D(2)(x));
  Dense hidden(256, kw::activation = "relu");
  // The probabilities, and so the loss, stay in float32.
  x = Dense(10, kw::activation = "softmax", kw::dtype = "float32")(Dropout(0.5)(hidden(x)));
  Model model(images, x);
  std::printf("%s: the hidden layer outputs %s, its weights are %s\n", policy,
              dtype_name(hidden.compute_dtype()), dtype_name(hidden.weights()[0].dtype()));
  model.compile("adam", "sparse_categorical_crossentropy", kw::metrics = {"accuracy"});
  model.fit(train.x, train.y, kw::batch_size = 128, kw::verbose = 0);  // compiles
  const auto start = std::chrono::steady_clock::now();
  model.fit(train.x, train.y, kw::batch_size = 128, kw::epochs = epochs, kw::verbose = 0);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return {model.evaluate(test.x, test.y, kw::verbose = 0).at("accuracy"), time.count()};
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/20, [](int64_t epochs) {
    const Result full = train("float32", epochs);
    const Result mixed = train("mixed_bfloat16", epochs);
    std::printf("test accuracy: %.4f in float32, %.4f in mixed_bfloat16\n", full.accuracy,
                mixed.accuracy);
    std::printf("training: %.1f s in float32, %.1f s in mixed_bfloat16\n", full.seconds,
                mixed.seconds);
  });
}
