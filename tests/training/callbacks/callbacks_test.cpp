#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/file.h"
#include "training/callbacks/fixture.h"

namespace antler {
namespace {

using callbacks::CSVLogger;
using callbacks::LambdaCallback;
using callbacks::LearningRateScheduler;

TEST(CSVLogger, WritesTheDialectOfExcel) {
  CallbackBench bench;
  CSVLogger logger(bench.path("log.csv"));
  HostLogs logs;
  logger.on_train_begin(logs);
  logs = {{"loss", 0.5}, {"a", 2}};
  logger.on_epoch_end(0, logs);
  logs = {{"loss", 1e-5}, {"val_a", std::nan("")}};
  logger.on_epoch_end(1, logs);
  // Each epoch is on the disk when it ends.
  EXPECT_EQ(read_file(bench.path("log.csv")),
            "epoch,a,loss,val_a,val_loss\r\n0,2.0,0.5,NA,NA\r\n1,NA,1e-05,nan,NA\r\n");
  logger.on_train_end(logs);
}

TEST(CSVLogger, AppendsWithoutASecondHeader) {
  CallbackBench bench;
  HostLogs logs = {{"val_loss", 1}};
  for (int i = 0; i < 2; ++i) {
    CSVLogger logger(bench.path("log.tsv"), {.separator = "\t", .append = true});
    logger.on_train_begin(logs);
    logger.on_epoch_end(i, logs);
    logger.on_train_end(logs);
  }
  EXPECT_EQ(read_file(bench.path("log.tsv")), "epoch\tval_loss\r\n0\t1.0\r\n1\t1.0\r\n");
  EXPECT_THROW(CSVLogger("x", {.separator = ""}), ValueError);
  CSVLogger nowhere(bench.path("missing/log.csv"));
  EXPECT_THROW(nowhere.on_train_begin(logs), NotFoundError);
}

TEST(LearningRateScheduler, SetsTheRateOfEachEpoch) {
  CallbackBench bench(0.5);
  const Tensor x = Tensor::zeros(DType::float32, {4, 1});
  const History with_rate =
      bench.model.fit(x, x,
                      {.epochs = 3,
                       .verbose = 0,
                       .callbacks = {LearningRateScheduler(
                           [](int64_t epoch, double rate) { return epoch < 1 ? rate : rate * 0.5; },
                           {.verbose = 1})}});
  EXPECT_EQ(*with_rate.history.find("learning_rate"), (std::vector<double>{0.5, 0.25, 0.125}));
  EXPECT_NE(bench.printed.find("\nEpoch 2: LearningRateScheduler setting learning rate to 0.25.\n"),
            std::string::npos);
  const LearningRateScheduler by_epoch(
      [](int64_t epoch) { return 1.0 / static_cast<double>(epoch + 1); });
  const History h = bench.model.fit(x, x, {.epochs = 2, .verbose = 0, .callbacks = {by_epoch}});
  EXPECT_EQ(*h.history.find("learning_rate"), (std::vector<double>{1, 0.5}));
}

TEST(TerminateOnNaN, EndsTraining) {
  CallbackBench bench;
  bench.model.set_steps_per_execution(1);
  std::vector<float> values = {1, 1, std::numeric_limits<float>::infinity(), 1, 1};
  const Tensor x = Tensor::of(values, {5, 1});
  const History h = bench.model.fit(x, Tensor::zeros(DType::float32, {5, 1}),
                                    {.batch_size = 1,
                                     .epochs = 3,
                                     .verbose = 0,
                                     .callbacks = {callbacks::TerminateOnNaN()},
                                     .shuffle = false});
  EXPECT_EQ(h.epoch.size(), 1U);
  EXPECT_EQ(bench.printed, "Batch 2: Invalid loss, terminating training\n");
  EXPECT_THROW(
      bench.model.fit(
          x, x, {.verbose = 0, .callbacks = {callbacks::TerminateOnNaN({.raise_error = true})}}),
      RuntimeError);
}

TEST(BaseLogger, AveragesTheBatches) {
  CallbackList list({callbacks::BaseLogger({.stateful_metrics = {"last"}})});
  list.on_train_begin();
  list.on_epoch_begin(0);
  list.on_train_batch_end(0, HostLogs{{"loss", 1}, {"last", 1}});
  const HostLogs last = {{"loss", 4}, {"last", 4}};
  list.on_train_batch_end(2, last);  // an execution of two batches
  const Logs logs = list.on_epoch_end(0, last);
  EXPECT_EQ(logs["loss"], 3);
  EXPECT_EQ(logs["last"], 4);
}

/// Accepts one request on its own port and answers it.
class Server {
 public:
  Server() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool ready = bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       listen(socket_, 1) == 0 &&
                       getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    EXPECT_TRUE(ready);
    const timeval patience = {.tv_sec = 2, .tv_usec = 0};  // nobody may come
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    if (thread_.joinable()) thread_.join();
    close(socket_);
  }
  std::string root() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string request() {
    thread_.join();
    return request_;
  }

 private:
  void serve() {
    const int peer = accept(socket_, nullptr, nullptr);
    if (peer < 0) return;
    char bytes[4096];
    while (request_.find('}') == std::string::npos && request_.find("%7D") == std::string::npos) {
      const ssize_t count = read(peer, bytes, sizeof bytes);
      if (count <= 0) break;
      request_.append(bytes, static_cast<size_t>(count));
    }
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    EXPECT_EQ(write(peer, answer.data(), answer.size()), std::ssize(answer));
    close(peer);
  }

  int socket_;
  int port_ = 0;
  std::string request_;
  std::thread thread_;
};

TEST(RemoteMonitor, PostsTheLogs) {
  HostLogs logs = {{"loss", 0.5}, {"mae", std::nan("")}};
  Server form;
  callbacks::RemoteMonitor monitor({.root = form.root(), .headers = {{"X-Run", "7"}}});
  try {
    monitor.on_epoch_end(3, logs);
  } catch (const RuntimeError& error) {  // built without libcurl
    GTEST_SKIP() << error.what();
  }
  const std::string request = form.request();
  EXPECT_TRUE(request.starts_with("POST /publish/epoch/end/ HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("X-Run: 7\r\n"), std::string::npos) << request;
  EXPECT_TRUE(
      request.ends_with("data=%7B%22epoch%22%3A+3%2C+%22loss%22%3A+0.5%2C+%22mae%22%3A+NaN%7D"))
      << request;
  Server json;
  callbacks::RemoteMonitor other({.root = json.root(), .path = "/p", .send_as_json = true});
  other.on_epoch_end(3, logs);
  const std::string body = json.request();
  EXPECT_NE(body.find("Content-Type: application/json\r\n"), std::string::npos) << body;
  EXPECT_TRUE(body.ends_with("{\"epoch\": 3, \"loss\": 0.5, \"mae\": NaN}")) << body;
}

TEST(RemoteMonitor, WarnsOfAServerThatIsNotThere) {
  CallbackBench bench;
  callbacks::RemoteMonitor monitor({.root = "http://127.0.0.1:1"});
  HostLogs logs;
  monitor.on_epoch_end(0, logs);
  EXPECT_NE(bench.warned.find("Could not reach RemoteMonitor root server at http://127.0.0.1:1"),
            std::string::npos);
}

struct SwapEMA : ::testing::Test {
  SwapEMA() {
    bench.model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 0.1, .use_ema = true, .ema_momentum = 0.5}),
         .loss = "mse"});
  }
  CallbackBench bench;
  Tensor x = Tensor::of(std::vector<float>{1, 1}, {2, 1});
  Tensor y = Tensor::zeros(DType::float32, {2, 1});
};

TEST_F(SwapEMA, EvaluatesWithTheAverages) {
  // mse of one sample: w <- 0.8 w; w = .8, .64; average = .8, .72
  double in_test = 0;
  bench.model.fit(
      x, y,
      {.batch_size = 1,
       .verbose = 0,
       .callbacks = {callbacks::SwapEMAWeights(),
                     LambdaCallback(
                         {.on_epoch_end =
                              [&](int64_t, const Logs&) {
                                EXPECT_NEAR(bench.weight(), 0.64, 1e-6);
                              },
                          .on_test_begin = [&](const Logs&) { in_test = bench.weight(); }})},
       .validation_data = {x, y}});
  EXPECT_NEAR(in_test, 0.72, 1e-6);
  EXPECT_NEAR(bench.weight(), 0.72, 1e-6);  // fit ends with the averages
}

TEST_F(SwapEMA, OnEpochSavesTheAveragesButTrainsTheWeights) {
  std::vector<double> at_end;
  std::vector<double> at_begin;
  const auto fit = [&](int64_t epochs, bool stop) {
    bench.set_weight(1);
    const LambdaCallback record({.on_epoch_end =
                                     [&](int64_t epoch, const Logs&) {
                                       at_end.push_back(bench.weight());
                                       if (stop && epoch == 1) bench.model.set_stop_training(true);
                                     },
                                 .on_train_batch_begin =
                                     [&](int64_t batch, const Logs&) {
                                       if (batch == 0) at_begin.push_back(bench.weight());
                                     }});
    const callbacks::SwapEMAWeights swap({.swap_on_epoch = true});
    bench.model.fit(x, y,
                    {.batch_size = 1,
                     .epochs = epochs,
                     .verbose = 0,
                     .callbacks = stop ? Callbacks{record, swap} : Callbacks{swap, record}});
  };
  fit(2, false);
  // w: .8 .64 | .512 .4096; averages: .8 .72 | .616 .5128
  ASSERT_EQ(at_end.size(), 2U);
  EXPECT_NEAR(at_end[0], 0.72, 1e-6);
  EXPECT_NEAR(at_end[1], 0.5128, 1e-6);
  EXPECT_NEAR(at_begin[1], 0.64, 1e-6);
  EXPECT_NEAR(bench.weight(), 0.5128, 1e-6);
}

TEST_F(SwapEMA, ATrainingThatStopsEndsWithTheAveragesToo) {
  bench.model.fit(
      x, y,
      {.batch_size = 1,
       .epochs = 5,
       .verbose = 0,
       .callbacks = {
           LambdaCallback({.on_epoch_end =
                               [&](int64_t, const Logs&) { bench.model.set_stop_training(true); }}),
           callbacks::SwapEMAWeights({.swap_on_epoch = true})}});
  EXPECT_NEAR(bench.weight(), 0.72, 1e-6);
}

TEST(SwapEMAWeights, WeightsOfOnePathHaveAveragesOfTheirOwn) {
  const auto part = [] {
    const Tensor inputs = Input({1});
    return Model(inputs, Dense(1, {.use_bias = false, .name = "dense"})(inputs));
  };
  const Tensor inputs = Input({1});
  Model first = part();
  Model second = part();
  Model model(inputs, second(first(inputs)));
  model.compile({.optimizer = optimizers::SGD(0.1, {.use_ema = true}), .loss = "mse"});
  const Tensor x = Tensor::full(DType::float32, {2, 1}, 1);
  model.fit(x, x, {.epochs = 3, .verbose = 0});
  const Tensors before = model.get_weights();
  model.evaluate(x, x, {.verbose = 0, .callbacks = {callbacks::SwapEMAWeights()}});
  const Tensors after = model.get_weights();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i].item(), before[i].item()) << i;
}

TEST(TensorBoard, AModelThatCannotBeSavedIsTrained) {
  CallbackBench bench;
  const Tensor inputs = Input({1});
  Model model(inputs, Dense(1)(ops::lgamma(inputs)));
  EXPECT_THROW(model.to_json(), Error);
  model.compile("sgd", "mse");
  const Tensor x = Tensor::full(DType::float32, {2, 1}, 2);
  EXPECT_NO_THROW(
      model.fit(x, x, {.verbose = 0, .callbacks = {callbacks::TensorBoard(bench.path("logs"))}}));
}

TEST(SwapEMAWeights, NeedsAverages) {
  CallbackBench bench;
  callbacks::SwapEMAWeights swap;
  const Tensor x = Tensor::zeros(DType::float32, {2, 1});
  EXPECT_NO_THROW(bench.model.fit(x, x, {.verbose = 0, .callbacks = {swap}}));
  EXPECT_THROW(bench.model.evaluate(x, x, {.verbose = 0, .callbacks = {swap}}), ValueError);
}

TEST(LambdaCallback, HasAllHooks) {
  CallbackBench bench;
  std::string events;
  const auto note = [&](const char* what) {
    return [&events, what](auto&&...) { events += std::string(what) + " "; };
  };
  const LambdaCallback all({.on_epoch_begin = note("epoch_begin"),
                            .on_epoch_end = note("epoch_end"),
                            .on_batch_begin = note("batch_begin"),
                            .on_train_begin = note("train_begin"),
                            .on_train_end = note("train_end"),
                            .on_train_batch_end = note("train_batch_end"),
                            .on_test_begin = note("test_begin"),
                            .on_test_end = note("test_end"),
                            .on_test_batch_begin = note("test_batch_begin"),
                            .on_test_batch_end = note("test_batch_end"),
                            .on_predict_begin = note("predict_begin"),
                            .on_predict_end = note("predict_end"),
                            .on_predict_batch_begin = note("predict_batch_begin"),
                            .on_predict_batch_end = note("predict_batch_end")});
  const Tensor x = Tensor::zeros(DType::float32, {1, 1});
  bench.model.fit(x, x, {.verbose = 0, .callbacks = {all}, .validation_data = {x, x}});
  EXPECT_EQ(events,
            "train_begin epoch_begin batch_begin train_batch_end test_begin test_batch_begin "
            "test_batch_end test_end epoch_end train_end ");
  events.clear();
  bench.model.predict(x, {.verbose = 0, .callbacks = {all}});
  EXPECT_EQ(events, "predict_begin predict_batch_begin predict_batch_end predict_end ");
}

TEST(CallbackList, WarnsOfSlowHooks) {
  CallbackBench bench;
  const LambdaCallback slow({.on_train_batch_end = [](int64_t, const Logs&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }});
  const Tensor x = Tensor::zeros(DType::float32, {6, 1});
  bench.model.fit(x, x, {.batch_size = 1, .verbose = 0});  // compiled now
  EXPECT_EQ(bench.warned, "");
  bench.model.fit(x, x, {.batch_size = 1, .verbose = 0, .callbacks = {slow}});
  EXPECT_NE(bench.warned.find("Callback method `on_train_batch_end` is slow compared to the batch "
                              "time (batch time: "),
            std::string::npos);
  EXPECT_EQ(bench.warned.find("`on_train_batch_begin`"), std::string::npos);
}

/// A subclass passed as a pointer to its base.
class CountsBatches : public callbacks::TerminateOnNaN {
 public:
  int batches = 0;
  void on_train_batch_begin(int, const Logs&) override { ++batches; }
};

TEST(CallbackList, FindsHooksBehindAPointerToABase) {
  CallbackBench bench;
  const auto counter = std::make_shared<CountsBatches>();
  const std::shared_ptr<callbacks::TerminateOnNaN> base = counter;
  const Tensor x = Tensor::zeros(DType::float32, {3, 1});
  bench.model.fit(x, x, {.batch_size = 1, .verbose = 0, .callbacks = {base}});
  EXPECT_EQ(counter->batches, 3);
}

TEST(Deserialize, MakesEveryBuiltInClass) {
  const auto make = [](const char* text) { return callbacks::deserialize(Json::parse(text)); };
  const auto stop =
      make(R"({"class_name": "EarlyStopping", "config": {"monitor": "mae", "min_delta": 0,
      "patience": 3, "verbose": 0, "mode": "min", "baseline": null, "restore_best_weights": true,
      "start_from_epoch": 1}})");
  EXPECT_NE(dynamic_cast<callbacks::EarlyStopping*>(stop.get().get()), nullptr);
  make(R"({"class_name": "ModelCheckpoint", "config": {"filepath": "a.keras", "save_freq": 3}})");
  make(R"({"class_name": "ReduceLROnPlateau", "config": {"factor": 0.5}})");
  make(R"({"class_name": "CSVLogger", "config": {"filename": "a", "separator": ";"}})");
  make(R"({"class_name": "TerminateOnNaN", "config": {}})");
  make(R"({"class_name": "SwapEMAWeights", "config": {"swap_on_epoch": true}})");
  make(R"({"class_name": "RemoteMonitor", "config": {"headers": {"a": "b"}}})");
  make(R"({"class_name": "BaseLogger", "config": {"stateful_metrics": ["a"]}})");
  make(R"({"class_name": "LearningRateScheduler", "config":
      {"schedule": {"name": "table", "values": [0.1]}, "verbose": 0}})");
  EXPECT_THROW(make(R"({"class_name": "Nothing", "config": {}})"), ValueError);
  EXPECT_THROW(make(R"({"class_name": "EarlyStopping", "config": {"patients": 3}})"), TypeError);
  EXPECT_THROW(make(R"({"class_name": "EarlyStopping", "config": {"patience": "x"}})"), ValueError);
  EXPECT_THROW(
      make(
          R"({"class_name": "ModelCheckpoint", "config": {"filepath": "a.keras", "save_freq": 1.5}})"),
      ValueError);
  EXPECT_THROW(make(R"({"class_name": "LearningRateScheduler", "config": {"schedule": "fast"}})"),
               ValueError);
}

TEST(Deserialize, SchedulesOfTheScheduler) {
  CallbackBench bench(1);
  const Tensor x = Tensor::zeros(DType::float32, {1, 1});
  const auto rates = [&](const char* schedule) {
    const std::string text =
        std::string(R"({"class_name": "LearningRateScheduler", "config": {"schedule": )") +
        schedule + "}}";
    const CallbackHandle callback = callbacks::deserialize(Json::parse(text));
    return *bench.model.fit(x, x, {.epochs = 4, .verbose = 0, .callbacks = {callback}})
                .history.find("learning_rate");
  };
  EXPECT_EQ(rates(R"({"name": "table", "values": [0.5, 0.25]})"),
            (std::vector<double>{0.5, 0.25, 0.25, 0.25}));
  EXPECT_EQ(rates(R"({"name": "exponential", "start": 2, "factor": 0.5})"),
            (std::vector<double>{0.25, 0.25, 0.125, 0.0625}));
}

TEST(Deserialize, KnowsClassesOfOnesOwn) {
  register_object("CountsBatches", [](const Json&) { return CountsBatches(); });
  const auto callback =
      callbacks::deserialize(Json::parse(R"({"class_name": "CountsBatches", "config": {}})"));
  EXPECT_NE(dynamic_cast<CountsBatches*>(callback.get().get()), nullptr);
}

}  // namespace
}  // namespace antler
