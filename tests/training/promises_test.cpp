// A model's guarantees for threads, fork() and global variables; see docs/from_keras.md.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"

namespace antler {
namespace {

Sequential line_model() {
  Sequential model({Input({1}), Dense(1, {.kernel_initializer = "ones"})});
  model.compile({.optimizer = optimizers::SGD(0.05), .loss = "mse"});
  return model;
}

std::vector<double> fitted_line(int64_t seed) {
  set_random_seed(seed);
  Sequential model = line_model();
  model.fit(Tensor::of<float>({0, 1, 2, 3}, {4, 1}), Tensor::of<float>({1, 3, 5, 7}, {4, 1}),
            {.batch_size = 2, .epochs = 3, .verbose = 0});
  return model.predict(Tensor::of<float>({4, 5}, {2, 1}), {.verbose = 0}).tensor().to_doubles();
}

// Constructed before main() and destroyed after it.
Sequential g_model = line_model();

TEST(Promises, AModelMayBeGlobal) {
  EXPECT_EQ(g_model.predict(Tensor::of<float>({2}, {1, 1}), {.verbose = 0}).tensor().item(), 2);
}

TEST(Promises, ThreadsMayPredictWithOneModel) {
  const Tensor x = random::normal({64, 1}, {.seed = 1});
  Sequential model = line_model();
  const std::vector<double> expected = model.predict(x, {.verbose = 0}).tensor().to_doubles();
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (std::vector<double>& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i)
        result = model.predict(x, {.batch_size = 16, .verbose = 0}).tensor().to_doubles();
      EXPECT_EQ(model(x).to_doubles(), result);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& result : results) EXPECT_EQ(result, expected);
}

TEST(Promises, ThreadsMayTrainModelsOfTheirOwn) {
  std::vector<std::vector<double>> results(3);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (std::vector<double>& result : results) {
    threads.emplace_back([&] {
      Sequential model = line_model();
      model.fit(Tensor::of<float>({0, 1, 2, 3}, {4, 1}), Tensor::of<float>({1, 3, 5, 7}, {4, 1}),
                {.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = false});
      result = model.get_weights()[0].to_doubles();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Promises, ChildProcessesMayTrain) {
  const pid_t child = fork();
  if (child == 0) _exit(fitted_line(1) == fitted_line(1) ? 0 : 1);
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(fitted_line(1), fitted_line(1));
}

}  // namespace
}  // namespace antler
