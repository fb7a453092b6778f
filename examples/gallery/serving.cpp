// Serving: a program loads a .keras file and answers single requests from several threads. The same
// model is exported as an ONNX file, for other programs.

#include <chrono>
#include <thread>

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

void train_and_save(const data::Split& train, int64_t epochs, const std::string& path) {
  Sequential model({Input({8, 8, 1}), Conv2D(32, 3, kw::activation = "relu"), MaxPooling2D(2),
                    Flatten(), Dense(64, kw::activation = "relu"),
                    Dense(10, kw::activation = "softmax")});
  model.compile(optimizers::Adam(3e-3), "sparse_categorical_crossentropy");
  model.fit(train.x, train.y, kw::epochs = epochs, kw::verbose = 0);
  model.save(path);
}

/// The results of one client.
struct Answers {
  std::vector<double> microseconds;
  int64_t right = 0;
};

/// Sends requests with one image each, one after the other.
Answers client(Model& model, const data::Split& images, int64_t first, int64_t requests) {
  Answers answers;
  for (int64_t i = 0; i < requests; ++i) {
    const int64_t row = (first + i) % images.x.dim(0);
    const Tensor image = images.x[Slice(row, row + 1)];
    const auto start = std::chrono::steady_clock::now();
    const Tensor p = model.predict_on_batch(image);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    answers.microseconds.push_back(time.count());
    if (ops::argmax(p).item() == images.y[row].item()) ++answers.right;
  }
  return answers;
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/15, [](int64_t epochs) {
    const data::TrainTest digits = data::digits();
    train_and_save(digits.train, epochs, "serving.keras");

    Model model = load_model("serving.keras", kw::compile = false);
    export_model(model, "serving.onnx");
    config::set_threads(1);  // one thread per request; the requests themselves run in parallel
    constexpr int64_t kThreads = 2;
    constexpr int64_t kRequests = 5000;
    client(model, digits.test, 0, 10);  // the first call compiles
    std::vector<Answers> answers(kThreads);
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        answers[static_cast<size_t>(i)] = client(model, digits.test, i * kRequests, kRequests);
      });
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;

    std::vector<double> all;
    int64_t right = 0;
    for (const Answers& a : answers) {
      all.insert(all.end(), a.microseconds.begin(), a.microseconds.end());
      right += a.right;
    }
    std::sort(all.begin(), all.end());
    const auto percentile = [&](size_t p) { return all[(all.size() - 1) * p / 100]; };
    const auto count = static_cast<double>(all.size());
    std::printf("%.0f requests, accuracy %.4f, %.0f per second\n", count,
                static_cast<double>(right) / count, count / time.count());
    std::printf("latency: median %.0f us, 99th percentile %.0f us\n", percentile(50),
                percentile(99));
    std::printf("serving.onnx: %lld KB\n",
                static_cast<long long>(std::filesystem::file_size("serving.onnx") / 1024));
  });
}
