// Metrics whose results are arrays and dictionaries, from the metric to every place that shows
// logs. The expected figures come from Keras 3.15 for the same calls.
#include "antler/training/logs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "training/callbacks/fixture.h"

namespace antler {
namespace {

/// Mean absolute error of each column.
class ColumnErrors : public MetricBase<ColumnErrors> {
 public:
  explicit ColumnErrors(const std::string& name = "arr")
      : MetricBase("ColumnErrors", name),
        total_(add_variable("total", {3})),
        count_(add_variable("count", {})) {}
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor&) override {
    total_.assign(total_.value() + ops::sum(ops::absolute(y_true - y_pred), {0}));
    count_.assign(count_.value() + static_cast<double>(y_true.dim(0)));
  }
  Nest result() const override { return ops::divide(total_.value(), count_.value()); }
  std::shared_ptr<Metric> fresh() const override { return std::make_shared<ColumnErrors>(name()); }

 private:
  Variable total_;
  Variable count_;
};

/// The first column's by itself, then all of them.
class NamedErrors : public MetricBase<NamedErrors, ColumnErrors> {
 public:
  NamedErrors() : MetricBase("d") {}
  Nest result() const override {
    const Tensor all = ColumnErrors::result().tensor();
    return Nest::dict({{"da", ops::sum(ops::slice_axis(all, 0, 0, 1))}, {"db", all}});
  }
};

struct Problem {
  Tensor x = Tensor::full(DType::float32, {4, 2}, 1);
  Tensor y = ops::cast(ops::reshape(ops::arange(0.0, 12.0), {4, 3}), DType::float32);
  Sequential model{Input({2}), Dense(3, {.kernel_initializer = "zeros"})};

  explicit Problem(const MetricSpec& metric) {
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                   .loss = "mse",
                   .metrics = std::vector<MetricSpec>{metric}});
  }
  History fit(int verbose = 0, const Callbacks& callbacks = {}) {
    return model.fit(x, y,
                     {.batch_size = 2,
                      .epochs = 2,
                      .verbose = verbose,
                      .callbacks = callbacks,
                      .validation_data = {x, y},
                      .shuffle = false});
  }
};

void expect_array(const Tensor& got, const std::vector<double>& want) {
  const std::vector<double> values = got.to_doubles();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(values[i], want[i], 2e-6 * want[i]) << i;
}

TEST(ArrayMetrics, StandInHistoryAndEvaluateAsArrays) {
  Problem problem{ColumnErrors()};
  const History h = problem.fit();
  const auto& arrays = *h.arrays.find("arr");
  ASSERT_EQ(arrays.size(), 2U);
  expect_array(arrays[0], {4.485, 5.475, 6.465});
  expect_array(arrays[1], {4.397094, 5.25819, 6.208986});
  expect_array(h.arrays.at("val_arr").at(0), {4.4103, 5.281, 6.2414});
  expect_array(h.arrays.at("val_arr").at(1), {4.324152, 5.070672, 5.99304});
  // As a number it is the mean, as in the progress bar of Keras.
  EXPECT_NEAR(h.history.at("arr").at(0), 5.475, 1e-5);
  EXPECT_NEAR(h.history.at("loss").at(1), 39.364959716796875, 1e-3);
  EXPECT_EQ(h.arrays.find("loss"), nullptr);

  const HostLogs logs = problem.model.evaluate(problem.x, problem.y, {.verbose = 0});
  EXPECT_EQ(logs.begin()->first, "loss");
  expect_array(*logs.array("arr"), {4.324152, 5.070672, 5.99304});
  EXPECT_EQ(logs.array("loss"), nullptr);
  expect_array(*problem.model.train_on_batch(problem.x, problem.y).array("arr"),
               {4.324152, 5.070672, 5.9930406});
  expect_array(*problem.model.test_on_batch(problem.x, problem.y).array("arr"),
               {4.282669, 4.9692593, 5.8731794});
}

TEST(DictionaryMetrics, JoinTheLogsKeyByKey) {
  Problem problem{NamedErrors()};
  const History h = problem.fit();
  EXPECT_EQ(h.history.find("d"), nullptr);
  EXPECT_NEAR(h.history.at("da").at(0), 4.485, 1e-5);
  EXPECT_NEAR(h.history.at("val_da").at(1), 4.324151992797852, 1e-5);
  expect_array(h.arrays.at("db").at(1), {4.397094, 5.25819, 6.208986});
  expect_array(h.arrays.at("val_db").at(0), {4.4103, 5.281, 6.2414});
  std::vector<std::string> names;  // of evaluate: names that are not metrics come last, sorted
  for (const auto& [name, value] : problem.model.evaluate(problem.x, problem.y, {.verbose = 0}))
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"loss", "da", "db"}));
}

TEST(ArrayMetrics, TheProgressBarShowsTheirMeans) {
  std::string printed;
  logging::set_sink([&](std::string_view text) { printed += text; });
  Problem{ColumnErrors()}.fit(2);
  Problem{NamedErrors()}.fit(1);
  logging::set_sink({});
  EXPECT_NE(printed.find("s - loss: 41.7297 - arr: 5.4750 - val_loss: 39.7539 - val_arr: 5.3109"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("- loss: 39.3650 - da: 4.3971 - db: 5.2881 - val_loss: 37.5289 - val_da: "
                         "4.3242 - val_db: 5.1293"),
            std::string::npos)
      << printed;
}

/// In the second epoch a number instead of an array, and a new array.
class Replaces : public Callback {
 public:
  void on_epoch_end(int epoch, const Logs&) override {
    if (epoch == 1) add_log("arr", 3);
    add_log("mine", Tensor::of<float>({1, 2}));
  }
};

TEST(ArrayMetrics, CallbacksSeeThemAndMayReplaceThem) {
  CallbackBench bench;
  Problem problem{ColumnErrors()};
  std::vector<bool> arrays;
  const auto note = [&](int64_t, const Logs& logs) {
    arrays.push_back(logs.array("arr") != nullptr);
  };
  const History h = problem.fit(
      0, {callbacks::CSVLogger(bench.path("log.csv")), Replaces(),
          callbacks::LambdaCallback({.on_epoch_end = note, .on_train_batch_end = note})});
  EXPECT_EQ(arrays, (std::vector<bool>{true, true, true, true, true, false}));
  EXPECT_EQ(h.arrays.at("arr").size(), 1U);
  EXPECT_EQ(h.history.at("arr").at(1), 3);
  EXPECT_EQ(h.history["mine"], (std::vector<double>{1.5, 1.5}));
  expect_array(h.arrays.at("mine").at(1), {1, 2});
  std::ifstream file(bench.path("log.csv"));
  std::stringstream text;
  text << file.rdbuf();
  // In Keras, the cell of an array contains quotes, which are quoted themselves.
  EXPECT_TRUE(text.str().starts_with("epoch,arr,loss,val_arr,val_loss\r\n0,\"\"\"[4.485, 5.475, "))
      << text.str();
}

/// Custom logs: a dictionary and an array without elements, or a list.
class OwnLogs : public Model {
 public:
  OwnLogs() : Model(LayerOptions{}) {}
  Tensor call(const Tensor& x, const CallOptions&) override { return x; }
  Logs test_step(const Batch& batch) override {
    const Tensor x = batch.x.tensor();
    if (list) return {{"parts", Nest{x, x}}};
    return {{"group", Nest::dict({{"a", ops::sum(x)}, {"b", x}})},
            {"none", ops::slice_axis(x, 0, 0, 0)}};
  }
  bool list = false;
};

TEST(Logs, DictionariesStandInTheirPlaceAndListsAreRefused) {
  OwnLogs model;
  model.compile({});
  const Tensor x = Tensor::of<float>({1, 2}, {2, 1});
  const HostLogs logs = model.test_on_batch(x);
  EXPECT_EQ(logs.at("a"), 3);
  EXPECT_EQ(logs.at("b"), 1.5);
  EXPECT_EQ(logs.array("b")->shape(), Shape({2, 1}));
  EXPECT_TRUE(std::isnan(logs.at("none")));
  EXPECT_EQ(logs.array("none")->size(), 0);
  model.list = true;
  model.make_test_function(/*force=*/true);
  EXPECT_THROW(model.test_on_batch(x), TypeError);
}

TEST(Logs, AreAskedForNames) {
  const Logs logs = {{"loss", Tensor(1.0)}};
  EXPECT_TRUE(logs.contains("loss"));
  EXPECT_EQ(logs.count("loss"), 1U);
  EXPECT_EQ(logs.count("accuracy"), 0U);
}

TEST(Logs, AreReadAsNumbers) {
  const Logs logs = {{"a", Tensor(0.25)}, {"b", Tensor::of<float>({1, 3})}};
  EXPECT_EQ(logs["a"], 0.25);
  EXPECT_EQ(logs.at("b"), 2);
  EXPECT_EQ(logs.find("b"), 2);
  EXPECT_EQ(logs.find("c"), std::nullopt);
  EXPECT_THROW((void)logs["c"], KeyError);
  const std::vector<std::pair<std::string, double>> entries(logs.begin(), logs.end());
  EXPECT_EQ(entries, (std::vector<std::pair<std::string, double>>{{"a", 0.25}, {"b", 2}}));
}

TEST(HostLogs, TakeArraysFromLogsAndGiveThemBack) {
  HostLogs host{Logs{{"a", Tensor::of<float>({1, 3})}, {"b", Tensor(1)}}};
  EXPECT_EQ(host.at("a"), 2);
  expect_array(*host.array("a"), {1, 3});
  const Logs back = host;
  expect_array(*back.array("a"), {1, 3});
  EXPECT_EQ(back["b"], 1);
  host["a"] = 5;
  EXPECT_EQ(host.array("a"), nullptr);
  EXPECT_EQ(Logs(host).at("a"), 5);
}

TEST(Logs, FindServesAsOptionalAndAsIterator) {
  const Logs logs{{"loss", Tensor(2.5)}, {"mae", Tensor(0.5)}};
  const auto mae = logs.find("mae");
  ASSERT_TRUE(mae);
  EXPECT_EQ(*mae, 0.5);
  ASSERT_TRUE(mae != logs.end());
  EXPECT_EQ(mae->first, "mae");
  EXPECT_EQ(mae->second, 0.5);
  EXPECT_EQ(logs.begin()->second, 2.5);
  EXPECT_FALSE(logs.find("accuracy"));
  EXPECT_TRUE(logs.find("accuracy") == logs.end());
  EXPECT_EQ(logs.find("accuracy").value_or(-1), -1);
}

TEST(Logs, HostLogsFindServesAsPointerAndAsIterator) {
  HostLogs logs{{"loss", 2.5}};
  auto loss = logs.find("loss");
  ASSERT_TRUE(loss != logs.end());
  EXPECT_EQ(loss->first, "loss");
  loss->second = 3;
  EXPECT_EQ(*logs.find("loss"), 3);
  const HostLogs& same = logs;
  const double* value = same.find("loss");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(*value, 3);
  EXPECT_TRUE(same.find("mae") == same.end());
  EXPECT_FALSE(same.find("mae"));
}

}  // namespace
}  // namespace antler
