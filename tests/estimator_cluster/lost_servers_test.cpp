// Servers that are lost while an estimator trains: here threads of the test's process.
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/estimator/estimators.h"
#include "antler/io/tensor_bundle.h"
#include "estimator/folder_test.h"
#include "estimator_cluster/servers.h"

namespace antler::estimator {
namespace {

using test::Servers;

Variable numbers(double value, int64_t count) {
  return Variable(Tensor::full(DType::float32, {count}, value));
}

/// Acts when the session is created, after the run that reaches a step, or at the end.
struct LosingHook final : public SessionRunHook {
  std::function<void(Session&)> on_create = {};
  std::function<void()> on_step = {};
  std::function<void(Session&)> on_end = {};
  int64_t step = 7;

  void after_create_session(Session& session) override {
    if (on_create) std::exchange(on_create, nullptr)(session);
  }
  void after_run(SessionRunContext& context, const SessionRunValues& /*values*/) override {
    if (on_step && context.session().global_step() >= step) std::exchange(on_step, nullptr)();
  }
  void end(Session& session) override {
    if (on_end) on_end(session);
  }
};

class LostServersFiles : public FolderTest {
 protected:
  /// Trains ten steps, with checkpoints of every fifth one, as the chief.
  void run_chief(const Servers& servers, const std::shared_ptr<LosingHook>& hook,
                 const std::string& folder = "") const {
    const auto model_fn = [](const ModelFnArgs& args) -> ModelSpec {
      const Tensor x = Dense(2)(Dense(3)(args.features.tensor()));
      const Tensor loss = estimator::losses::mean_squared_error(args.labels.tensor(), x);
      train::AdamOptimizer optimizer(0.1);
      return EstimatorSpec{
          .mode = args.mode,
          .loss = loss,
          .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
    };
    const auto ones = [](const InputFnArgs& /*args*/) -> InputData {
      return data::Dataset::from_tensor_slices(ops::ones({4, 3}), ops::ones({4, 2}))
          .repeat()
          .batch(4, {.drop_remainder = true});
    };
    const Estimator chief(ModelFn(model_fn),
                          {.config = RunConfig({.model_dir = path(folder),
                                                .save_checkpoints_steps = 5,
                                                .train_distribute = servers.strategy("chief")})});
    chief.train(InputFn(ones), {.hooks = {hook}, .max_steps = 10});
  }

  double saved(const std::string& name, const std::string& folder = "") const {
    return io::TensorBundle::open(*latest_checkpoint(path(folder))).read(name).item();
  }
};

/// Only one of the servers has nothing; the other one still has what was before.
TEST_F(LostServersFiles, OthersSeeWhatTheChiefRestores) {
  constexpr int64_t kMany = 4'000'000;  // sent for long enough to be caught in the middle
  Servers servers(2);
  cluster::NamedVariables chief = servers.client("chief");
  const Variable small = numbers(1, 1);
  const Variable large = numbers(1, kMany);
  chief.create({{"small", small}, {"large", large}});
  servers.restart(0);
  chief.release();
  small.store(Tensor::full(DType::float32, {1}, 2));
  large.store(Tensor::full(DType::float32, {kMany}, 2));
  std::thread worker([&] {
    cluster::NamedVariables found = servers.client("worker");
    const Variable of_small = numbers(0, 1);
    const Variable of_large = numbers(0, kMany);
    const cluster::NamedVariables::Named all = {{"small", of_small}, {"large", of_large}};
    for (bool is_found = false; !is_found;) {
      try {
        found.find(all, 0);
        is_found = true;
      } catch (const DeadlineExceededError&) {
      }
    }
    found.refresh(of_large);
    EXPECT_EQ(of_large.stored().to_doubles()[0], 2);
  });
  chief.create({{"small", small}, {"large", large}});
  worker.join();
}

TEST_F(LostServersFiles, TheChiefGoesOnFromTheLastCheckpoint) {
  for (const size_t lost : {0U, 1U}) {
    const std::string folder = std::to_string(lost);
    Servers servers(2);
    const auto hook = std::make_shared<LosingHook>();
    bool was_lost = false;
    hook->on_step = [&] {
      servers.restart(lost);
      was_lost = true;
    };
    run_chief(servers, hook, folder);
    EXPECT_TRUE(was_lost);
    EXPECT_EQ(saved("global_step", folder), 10);
    // The power has one factor for each step that the model kept: the other server's progress since
    // the checkpoint was discarded.
    EXPECT_NEAR(saved("beta1_power", folder), std::pow(0.9, 11), 1e-5);
  }
}

TEST_F(LostServersFiles, ASessionIsCreatedAgain) {
  Servers servers(2);
  const auto hook = std::make_shared<LosingHook>();
  hook->on_create = [&](Session& session) {
    servers.restart(0);
    servers.restart(1);
    session.global_step();
  };
  run_chief(servers, hook);
  EXPECT_EQ(saved("global_step"), 10);
}

TEST_F(LostServersFiles, AnErrorAtTheEndSaysWhatToDo) {
  Servers servers(2);
  const auto hook = std::make_shared<LosingHook>();
  hook->on_end = [&](Session& session) {
    servers.restart(0);
    servers.restart(1);
    session.global_step();
  };
  try {
    run_chief(servers, hook);
    FAIL() << "the training did not notice that its servers were lost";
  } catch (const UnavailableError& error) {
    EXPECT_NE(std::string(error.what()).find("Start the training again"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace antler::estimator
