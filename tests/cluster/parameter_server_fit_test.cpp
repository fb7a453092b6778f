#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "antler/antler.h"
#include "cluster/local_cluster.h"

namespace antler {
namespace {

using test::LocalCluster;

Sequential make_model() {
  set_random_seed(7);
  Sequential model({Input({4}), Dense(8, {.activation = "tanh"}), BatchNormalization(), Dense(3)});
  model.compile(kw::optimizer = optimizers::Adam(0.01),
                kw::loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                kw::metrics = {"accuracy"});
  return model;
}

struct Data {
  Tensor x = random::normal({50, 4}, {.seed = 3});
  Tensor y = ops::argmax(random::normal({50, 3}, {.seed = 4}), 1);
};

void expect_near(const Tensor& got, const Tensor& want, const std::string& what) {
  const std::vector<double> a = got.to_doubles();
  const std::vector<double> b = want.to_doubles();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << what;
}

TEST(ParameterServerFit, OneWorkerTrainsLikeOneProcess) {
  const Data data;
  const FitOptions options{
      .batch_size = 16, .epochs = 3, .verbose = 0, .shuffle = false, .steps_per_epoch = 4};
  Sequential alone = make_model();
  const History expected = alone.fit(data.x, data.y, options);
  const HostLogs expected_result = alone.evaluate(data.x, data.y, kw::verbose = 0);

  const LocalCluster local(1, 2);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  for (const int64_t steps : {1, 3}) {
    Sequential model = make_model();
    model.set_steps_per_execution(steps);
    const History history = model.fit(data.x, data.y, options);
    for (const auto& [key, values] : expected.history) {
      for (size_t e = 0; e < values.size(); ++e)
        EXPECT_NEAR(history.history.at(key).at(e), values[e], 1e-5) << key << " of epoch " << e;
    }
    const Tensors got = model.get_weights();
    const Tensors want = alone.get_weights();
    for (size_t i = 0; i < want.size(); ++i)
      expect_near(got[i], want[i], model.weights()[i].path());
    const HostLogs result = model.evaluate(data.x, data.y, kw::verbose = 0);
    EXPECT_NEAR(result.at("loss"), expected_result.at("loss"), 1e-5);
    EXPECT_NEAR(result.at("accuracy"), expected_result.at("accuracy"), 1e-6);
    expect_near(model.predict(data.x, kw::verbose = 0), alone.predict(data.x, kw::verbose = 0),
                "prediction");
  }
}

TEST(ParameterServerFit, SeveralWorkersLearn) {
  const Data data;
  const LocalCluster local(3, 2);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  Sequential model = make_model();
  const History history = model.fit(
      data.x, data.y, {.batch_size = 10, .epochs = 40, .verbose = 0, .steps_per_epoch = 5});
  EXPECT_LT(history.history.at("loss").back(), 0.8 * history.history.at("loss").front());
  EXPECT_EQ(model.optimizer().iterations().value().item(), 200);
}

TEST(ParameterServerFit, DatasetCreatorsAndCheckpoints) {
  const Data data;
  const auto folder = std::filesystem::temp_directory_path() / "antler_parameter_servers";
  std::filesystem::remove_all(folder);
  const LocalCluster local(2, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  Sequential model = make_model();
  const data::DatasetCreator creator([&](const data::InputContext&) {
    return data::Dataset::from_tensor_slices({data.x, data.y}).repeat().batch(10);
  });
  model.fit(creator,
            {.epochs = 2,
             .verbose = 0,
             .callbacks = {callbacks::ModelCheckpoint((folder / "{epoch}.keras").string())},
             .steps_per_epoch = 6});
  const auto loaded = load_model((folder / "2.keras").string());
  const Tensors saved = loaded.get_weights();
  const Tensors weights = model.get_weights();
  ASSERT_EQ(saved.size(), weights.size());
  for (size_t i = 0; i < saved.size(); ++i) expect_near(saved[i], weights[i], "weight");
  std::filesystem::remove_all(folder);
}

TEST(ParameterServerFit, ABackupOfEachEpochIsResumed) {
  const Data data;
  const auto folder = std::filesystem::temp_directory_path() / "antler_parameter_servers_backup";
  std::filesystem::remove_all(folder);
  const LocalCluster local(1, 2);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  /// Ends training before an epoch.
  class Interrupt : public Callback {
   public:
    explicit Interrupt(int64_t epoch) : epoch_(epoch) {}
    void on_epoch_begin(int epoch, const Logs&) override {
      if (epoch == epoch_) throw RuntimeError("interrupted");
      if (first < 0) first = epoch;
    }
    int64_t first = -1;

   private:
    int64_t epoch_;
  };
  const auto train = [&](Model& model, int64_t end) {
    const auto interrupt = std::make_shared<Interrupt>(end);
    model.fit(data.x, data.y,
              {.batch_size = 16,
               .epochs = 4,
               .verbose = 0,
               .callbacks = {callbacks::BackupAndRestore(folder), interrupt},
               .shuffle = false,
               .steps_per_epoch = 4});
    return interrupt->first;
  };
  Sequential whole = make_model();
  EXPECT_EQ(train(whole, -1), 0);
  EXPECT_FALSE(std::filesystem::exists(folder));
  Sequential interrupted = make_model();
  EXPECT_THROW(train(interrupted, 2), RuntimeError);
  Sequential resumed = make_model();
  EXPECT_EQ(train(resumed, -1), 2);
  const Tensors got = resumed.get_weights();
  const Tensors want = whole.get_weights();
  for (size_t i = 0; i < want.size(); ++i) expect_near(got[i], want[i], whole.weights()[i].path());
  // This process does not see the batches.
  EXPECT_THROW(resumed.fit(data.x, data.y,
                           {.verbose = 0,
                            .callbacks = {callbacks::BackupAndRestore(folder, {.save_freq = 1})},
                            .steps_per_epoch = 4}),
               ValueError);
  EXPECT_THROW(resumed.fit(data.x, data.y,
                           {.verbose = 0,
                            .callbacks = {callbacks::ModelCheckpoint((folder / "a.keras").string(),
                                                                     {.save_freq = 1})},
                            .steps_per_epoch = 4}),
               ValueError);
  std::filesystem::remove_all(folder);
}

TEST(ParameterServerFit, ExactEvaluationGivesTheSame) {
  const Data data;
  Sequential alone = make_model();
  const HostLogs expected = alone.evaluate(data.x, data.y, kw::batch_size = 8, kw::verbose = 0);
  const LocalCluster local(3, 2);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  Sequential model = make_model();
  model.compile({.optimizer = "sgd",
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"},
                 .pss_evaluation_shards = "auto"});
  for (int round = 0; round < 2; ++round) {
    const HostLogs result = model.evaluate(data.x, data.y, kw::batch_size = 8, kw::verbose = 0);
    EXPECT_NEAR(result.at("loss"), expected.at("loss"), 1e-5);
    EXPECT_NEAR(result.at("accuracy"), expected.at("accuracy"), 1e-6);
  }
  const auto endless = data::Dataset::from_tensor_slices({data.x, data.y}).repeat().batch(10);
  EXPECT_THROW(model.evaluate(endless, kw::steps = 3, kw::verbose = 0), ValueError);
}

TEST(ParameterServerFit, PrintsALinePerEpoch) {
  const Data data;
  const LocalCluster local(1, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  Sequential model = make_model();
  testing::internal::CaptureStdout();
  model.fit(data.x, data.y, {.batch_size = 10, .epochs = 2, .verbose = 2, .steps_per_epoch = 5});
  model.evaluate(data.x, data.y, kw::batch_size = 10, kw::verbose = 2);
  const std::string output = testing::internal::GetCapturedStdout();
  EXPECT_NE(output.find("Epoch 2/2"), std::string::npos) << output;
  EXPECT_NE(output.find("5/5 - "), std::string::npos) << output;
  EXPECT_NE(output.find("loss: "), std::string::npos) << output;
}

TEST(ParameterServerFit, RefusesWhatNeedsTheStepsHere) {
  const Data data;
  const LocalCluster local(1, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  Sequential model = make_model();
  EXPECT_THROW(model.fit(data.x, data.y, {.verbose = 0}), ValueError);
  EXPECT_THROW(model.fit(data.x, data.y, {.verbose = 1, .steps_per_epoch = 2}), ValueError);
  EXPECT_THROW(model.fit(data.x, data.y,
                         {.verbose = 0,
                          .callbacks = {callbacks::LambdaCallback(
                              {.on_train_batch_end = [](int64_t, const Logs&) {}})},
                          .steps_per_epoch = 2}),
               ValueError);
}

}  // namespace
}  // namespace antler
