// Weights of 8 and 4 bits: accuracy and size of the file before and after.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

void report(const char* name, Model model, const data::Split& test) {
  const std::string path = std::string("quantized_") + name + ".keras";
  model.save(path, kw::include_optimizer = false);
  const Tensor guess = ops::argmax(model.predict(test.x, kw::verbose = 0), -1);
  std::printf("%-8s test accuracy: %.4f, file: %4lld KB\n", name,
              ops::mean(ops::cast(guess == test.y, "float32")).item(),
              static_cast<long long>(std::filesystem::file_size(path) / 1024));
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/30, [](int64_t epochs) {
    auto [train, test] = data::digits();
    Sequential model({Input({8, 8, 1}), Flatten(), Dense(512, kw::activation = "relu"),
                      Dropout(0.3), Dense(512, kw::activation = "relu"), Dropout(0.3),
                      Dense(10, kw::activation = "softmax")});
    model.compile("adam", "sparse_categorical_crossentropy", kw::metrics = {"accuracy"});
    model.fit(train.x, train.y, kw::batch_size = 64, kw::epochs = epochs, kw::verbose = 2);
    report("float32", model, test);

    for (const char* mode : {"int8", "int4"}) {
      Model small = load_model("quantized_float32.keras");
      quantize(small, mode);
      report(mode, small, test);
    }
    // A file with quantized weights is loaded like any other.
    const Model loaded = load_model("quantized_int8.keras");
    for (const Variable& weight : loaded.layers()[1]->weights())
      std::printf("%-18s %-8s %s\n", weight.name().c_str(), dtype_name(weight.dtype()),
                  weight.shape().str().c_str());
  });
}
