// Every row of the tables of errors of compile(), fit(), evaluate() and predict().
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "training/columns.h"

namespace antler {
namespace {

using test::column;

struct Row {
  const char* what;
  const char* exception;
  const char* says;  ///< part of the message
  std::function<void(Model&)> use;
};

Tensor x() { return column({1, 2, 3, 4}); }
Tensor words() { return Tensor(std::vector<std::string>{"a", "b", "c", "d"}, {4, 1}); }
data::Dataset pairs(int64_t batch = 2) {
  return data::Dataset::from_tensor_slices(Nest{x(), x()}).batch(batch);
}
data::Generator generator() {
  return data::Generator([left = 3]() mutable -> std::optional<Nest> {
    if (left-- == 0) return std::nullopt;
    return Nest{x(), x()};
  });
}

/// One input, one output, compiled; what every row begins with.
Sequential small_model() {
  Sequential model({Input({1}), Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  return model;
}

/// Throws unless `row` raises the expected error; afterwards the model must still train.
void check(const Row& row) {
  SCOPED_TRACE(row.what);
  Sequential model = small_model();
  std::string got = "nothing";
  std::string message;
  try {
    row.use(model);
  } catch (const Error& error) {
    got = error.class_name();
    message = error.what();
  }
  EXPECT_EQ(got, row.exception) << message;
  EXPECT_NE(message.find(row.says), std::string::npos) << message;
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.fit(x(), x(), {.verbose = 0}).epoch.size(), 1U);
}

TEST(Errors, OfCompile) {
  const std::vector<Row> rows = {
      {"unknown optimizer", "ValueError", "sgdd",
       [](Model& m) { m.compile({.optimizer = "sgdd"}); }},
      {"unknown loss, at the first step", "ValueError", "msee",
       [](Model& m) {
         m.compile({.optimizer = "sgd", .loss = "msee"});
         m.fit(x(), x(), {.verbose = 0});
       }},
      {"unknown metric, at the first step", "ValueError", "maee",
       [](Model& m) {
         m.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"maee"}});
         m.fit(x(), x(), {.verbose = 0});
       }},
      {"jit_compile with run_eagerly", "ValueError", "run_eagerly",
       [](Model& m) { m.compile({.run_eagerly = true, .jit_compile = true}); }},
      {"a string other than auto", "TypeError", "steps_per_execution",
       [](Model& m) { m.compile({.steps_per_execution = "many"}); }},
      {"negative steps per execution, in fit", "ValueError", "steps_per_execution",
       [](Model& m) {
         m.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = -1});
         m.fit(x(), x(), {.verbose = 0});
       }},
      {"no evaluation shards", "ValueError", "pss_evaluation_shards",
       [](Model& m) { m.compile({.pss_evaluation_shards = -1}); }},
      {"one metric twice", "ValueError", "more than once",
       [](Model& m) {
         const metrics::Mean twice;
         m.compile({.loss = "mse", .metrics = {twice}, .weighted_metrics = {twice}});
       }},
      {"no loss", "ValueError", "No loss",
       [](Model& m) {
         m.compile({.optimizer = "sgd"});
         m.fit(x(), x(), {.verbose = 0});
       }},
      {"a loss for no output", "ValueError", "zz",
       [](Model& m) {
         m.compile({.optimizer = "sgd", .loss = LossSpec::dict({{"zz", "mse"}})});
         m.fit(x(), x(), {.verbose = 0});
       }},
      {"too many weights of losses", "ValueError", "loss_weights",
       [](Model& m) {
         m.compile({.optimizer = "sgd", .loss = "mse", .loss_weights = {1.0, 2.0}});
         m.fit(x(), x(), {.verbose = 0});
       }},
      {"weights of losses that are no numbers", "ValueError", "loss_weights",
       [](Model&) {
         LossWeights::from_config(Json({"a", "b"}));
       }},
  };
  for (const Row& row : rows) check(row);
  Sequential raw({Input({1}), Dense(1)});
  EXPECT_THROW(raw.fit(x(), x(), {.verbose = 0}), ValueError);
  EXPECT_THROW(raw.evaluate(x(), x(), {.verbose = 0}), ValueError);
  EXPECT_THROW(raw.train_on_batch(x(), x()), ValueError);
  EXPECT_THROW(raw.test_on_batch(x(), x()), ValueError);
  EXPECT_EQ(raw.predict(x(), {.verbose = 0}).tensor().shape(), (Shape{4, 1}));  // needs no compile
}

TEST(Errors, OfFitsNumbers) {
  const std::vector<Row> rows = {
      {"batch_size", "ValueError", "batch_size",
       [](Model& m) { m.fit(x(), x(), {.batch_size = 0, .verbose = 0}); }},
      {"steps_per_epoch 0", "ValueError", "steps_per_epoch",
       [](Model& m) { m.fit(pairs(), {.verbose = 0, .steps_per_epoch = 0}); }},
      {"steps_per_epoch -2", "ValueError", "steps_per_epoch",
       [](Model& m) { m.fit(pairs(), {.verbose = 0, .steps_per_epoch = -2}); }},
      {"steps_per_epoch -1 with arrays", "ValueError", "not supported with arrays",
       [](Model& m) { m.fit(x(), x(), {.verbose = 0, .steps_per_epoch = -1}); }},
      {"steps_per_epoch -1 with finite data", "ValueError", "infinite",
       [](Model& m) { m.fit(pairs(), {.verbose = 0, .steps_per_epoch = -1}); }},
      {"initial_epoch", "ValueError", "initial_epoch",
       [](Model& m) { m.fit(x(), x(), {.verbose = 0, .initial_epoch = -1}); }},
      {"max_queue_size", "ValueError", "max_queue_size",
       [](Model& m) { m.fit(x(), x(), {.verbose = 0, .max_queue_size = 0}); }},
      {"workers", "ValueError", "workers",
       [](Model& m) { m.fit(x(), x(), {.verbose = 0, .workers = 0}); }},
      {"validation_freq", "ValueError", "validation_freq",
       [](Model& m) {
         m.fit(x(), x(), {.verbose = 0, .validation_data = {x(), x()}, .validation_freq = 0});
       }},
      {"validation_steps", "ValueError", "validation_steps",
       [](Model& m) {
         m.fit(x(), x(), {.verbose = 0, .validation_data = {x(), x()}, .validation_steps = 0});
       }},
      {"validation_batch_size", "ValueError", "validation_batch_size",
       [](Model& m) {
         m.fit(x(), x(),
               {.verbose = 0, .validation_data = {x(), x()}, .validation_batch_size = -3});
       }},
      {"steps of evaluate", "ValueError", "steps",
       [](Model& m) { m.evaluate(pairs(), {.verbose = 0, .steps = 0}); }},
      {"steps of predict", "ValueError", "steps",
       [](Model& m) { m.predict(x(), {.verbose = 0, .steps = 0}); }},
      {"several steps per execution of data of unknown size", "ValueError", "infer the size",
       [](Model& m) {
         m.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = 2});
         m.fit(generator(), {.verbose = 0});
       }},
      {"endless data without steps", "ValueError", "infinite",
       [](Model& m) { m.fit(pairs().repeat(), {.verbose = 0}); }},
  };
  for (const Row& row : rows) check(row);
}

TEST(Errors, OfFitsData) {
  const std::vector<Row> rows = {
      {"a data set of no batches", "ValueError", "non-empty",
       [](Model& m) { m.fit(pairs().take(0), {.verbose = 0}); }},
      {"a generator that gives nothing", "ValueError", "empty logs",
       [](Model& m) {
         m.fit(data::Generator([]() -> std::optional<Nest> { return std::nullopt; }),
               {.verbose = 0});
       }},
      {"inputs that are strings", "ValueError", "`x`: expected numbers",
       [](Model& m) { m.fit(words(), x(), {.verbose = 0}); }},
      {"inputs of predict that are strings", "ValueError", "`x`: expected numbers",
       [](Model& m) { m.predict(words(), {.verbose = 0}); }},
      {"targets that are strings", "ValueError", "`y`: expected numbers",
       [](Model& m) { m.evaluate(x(), words(), {.verbose = 0}); }},
      {"a call on strings", "TypeError", "Expected numbers", [](Model& m) { m(words()); }},
      {"no x", "ValueError", "x", [](Model& m) { m.fit(Nest(), x(), {.verbose = 0}); }},
      {"y beside a data set", "ValueError", "`y`",
       [](Model& m) { m.fit(pairs(), x(), {.verbose = 0}); }},
      {"y beside a generator", "ValueError", "`y`",
       [](Model& m) { m.fit(generator(), x(), {.verbose = 0}); }},
      {"weights beside a data set", "ValueError", "`sample_weight`",
       [](Model& m) { m.fit(pairs(), {.verbose = 0, .sample_weight = x()}); }},
      {"weights beside evaluate's data set", "ValueError", "`sample_weight`",
       [](Model& m) { m.evaluate(pairs(), {.verbose = 0, .sample_weight = x()}); }},
      {"arrays of different length", "ValueError", "x sizes: 4\n  y sizes: 2",
       [](Model& m) {
         m.fit(x(), column({1, 2}), {.verbose = 0});
       }},
      {"weights of different length", "ValueError", "sample_weight sizes: 3",
       [](Model& m) {
         m.fit(x(), x(), {.verbose = 0, .sample_weight = Tensor::of<float>({1, 1, 1})});
       }},
      {"a split of a data set", "ValueError", "validation_split",
       [](Model& m) { m.fit(pairs(), {.verbose = 0, .validation_split = 0.5}); }},
      {"a split that leaves no training data", "ValueError", "validation_split",
       [](Model& m) { m.fit(x(), x(), {.verbose = 0, .validation_split = 1.0}); }},
      {"a split that leaves no validation data", "ValueError", "validation_split",
       [](Model& m) { m.fit(x(), x(), {.verbose = 0, .validation_split = -0.5}); }},
      {"gaps between classes", "ValueError", "class_weight",
       [](Model& m) {
         m.fit(x(), x(), {.verbose = 0, .class_weight = {{0, 1.0}, {2, 1.0}}});
       }},
      {"a class without a weight", "ValueError", "class_weight",
       [](Model& m) {
         m.fit(x(), x(), {.verbose = 0, .class_weight = {{0, 1.0}}});
       }},
      {"four parts of an element", "ValueError", "sample_weight",
       [](Model& m) {
         m.fit(data::Dataset::from_tensor_slices(Nest{x(), x(), x(), x()}).batch(2),
               {.verbose = 0});
       }},
      {"targets missing", "ValueError", "Target data is missing",
       [](Model& m) { m.fit(x(), {.verbose = 0}); }},
      {"targets of validation missing", "ValueError", "Target data is missing",
       [](Model& m) { m.fit(x(), x(), {.verbose = 0, .validation_data = {x()}}); }},
      {"targets of another width", "ValueError", "shape",
       [](Model& m) {
         m.compile({.optimizer = "sgd", .loss = "categorical_crossentropy"});
         m.fit(x(), Tensor::zeros(DType::float32, {4, 3}), {.verbose = 0});
       }},
      {"inputs of another width", "ValueError", "expected",
       [](Model& m) {
         m.fit(Tensor::zeros(DType::float32, {4, 3}), x(), {.verbose = 0});
       }},
      {"inputs of another rank", "ValueError", "shape",
       [](Model& m) {
         m.predict(Tensor::zeros(DType::float32, {4, 3, 2, 2}), {.verbose = 0});
       }},
      {"two inputs for one", "ValueError", "input(s)",
       [](Model& m) {
         m.fit({x(), x()}, x(), {.verbose = 0});
       }},
      {"nothing to predict", "ValueError", "x",
       [](Model& m) { m.predict(Nest(), {.verbose = 0}); }},
  };
  for (const Row& row : rows) check(row);
}

TEST(Errors, OfBatchesCallbacksAndShapes) {
  const std::vector<Row> rows = {
      {"rows of a batch to train on", "ValueError", "x sizes: 4\n  y sizes: 2",
       [](Model& m) {
         m.train_on_batch(x(), column({1, 2}));
       }},
      {"rows of a batch to test on", "ValueError", "ambiguous",
       [](Model& m) { m.test_on_batch(x(), column({1})); }},
      {"one weight for a batch", "ValueError", "scalar",
       [](Model& m) { m.train_on_batch(x(), x(), {.sample_weight = Tensor::of<float>({2}, {})}); }},
      {"no callback", "TypeError", "`callbacks`",
       [](Model& m) { m.fit(x(), x(), {.verbose = 0, .callbacks = {CallbackPtr()}}); }},
      {"a stack built for other inputs", "ValueError", "already been configured",
       [](Model&) {
         Sequential({Input({1}), Dense(1)}).build({-1, 4});
       }},
  };
  for (const Row& row : rows) check(row);
  Sequential({Input({1}), Dense(1)}).build({8, 1});
}

/// Calls a function at the end of each epoch.
template <class F>
class AtEpochEnd : public Callback {
 public:
  explicit AtEpochEnd(F call) : call_(std::move(call)) {}
  void on_epoch_end(int, const Logs&) override { call_(); }

 private:
  F call_;
};

TEST(Misuse, NumbersAsLargeAsTheyGo) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Sequential model = small_model();
  EXPECT_EQ(model.fit(x(), x(), {.verbose = 0, .steps_per_epoch = kMost}).epoch.size(), 1U);
  EXPECT_TRUE(model.evaluate(x(), x(), {.verbose = 0, .steps = kMost}).contains("loss"));
  for (const int64_t steps : {kMost, kMost / 2}) {
    const Nest y = model.predict(x(), {.batch_size = 4, .verbose = 0, .steps = steps});
    EXPECT_EQ(y.tensor().shape(), (Shape{4, 1}));
  }
}

TEST(Misuse, AFitInsideOfAFitHasAHistoryOfItsOwn) {
  Sequential model = small_model();
  size_t inner = 0;
  const auto again = [&] { inner = model.fit(x(), x(), {.epochs = 2, .verbose = 0}).epoch.size(); };
  const History outer =
      model.fit(x(), x(), {.epochs = 3, .verbose = 0, .callbacks = {AtEpochEnd(again)}});
  EXPECT_EQ(inner, 2U);
  EXPECT_EQ(outer.epoch, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(model.history().epoch, outer.epoch);
}

TEST(Misuse, AModelThatACallbackReplaces) {
  Sequential model = small_model();
  const auto replace = [&] { model = Sequential({Input({1}), Dense(2)}); };
  model.fit(x(), x(), {.epochs = 2, .verbose = 0, .callbacks = {AtEpochEnd(replace)}});
  EXPECT_FALSE(model.compiled());
  EXPECT_EQ(model.predict(x(), {.verbose = 0}).tensor().shape(), (Shape{4, 2}));
}

TEST(Misuse, NothingToTrainIsWarnedOfOnce) {
  std::string warnings;
  logging::set_warning_sink([&](std::string_view text) { warnings += text; });
  Sequential model = small_model();
  model.set_trainable(false);
  model.compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = true});
  const Tensor before = model.get_weights()[0];
  model.fit(x(), x(), {.epochs = 3, .verbose = 0});
  logging::set_warning_sink({});
  EXPECT_EQ(warnings, "WARNING:antler:The model does not have any trainable weights.\n");
  EXPECT_EQ(model.get_weights()[0].to_doubles(), before.to_doubles());
}

TEST(Errors, OfSeveralOutputs) {
  const Tensor in = Input({1});
  Model model(in, Nest{Dense(1, {.name = "p"})(in), Dense(1, {.name = "q"})(in)});
  const auto fails = [&](const CompileArguments& arguments, const Nest& y,
                         const FitOptions& options, const char* says) {
    model.compile(arguments);
    try {
      model.fit(x(), y, options);
      ADD_FAILURE() << "no error that says " << says;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
      const bool is_long_list = arguments.loss.items().size() > 2;
      EXPECT_STREQ(error.class_name(), is_long_list ? "KeyError" : "ValueError");
    }
  };
  const CompileArguments plain = {.optimizer = "sgd", .loss = "mse"};
  const Nest both = {x(), x()};
  fails(plain, both, {.verbose = 0, .class_weight = {{0, 1.0}}}, "single output");
  fails(plain, x(), {.verbose = 0}, "single array");
  fails(plain, Nest::dict({{"p", x()}, {"r", x()}}), {.verbose = 0}, "'r'");
  fails({.optimizer = "sgd", .loss = {"mse", "mse", "mse"}}, both, {.verbose = 0}, "3 entries");
  fails({.optimizer = "sgd", .loss = {"mse"}}, both, {.verbose = 0}, "1 entries");
  fails({.optimizer = "sgd", .loss = "mse", .metrics = {{"mae"}, {"mae"}, {"mae"}}}, both,
        {.verbose = 0}, "3 entries");
  model.compile(plain);
  EXPECT_EQ(model.fit(x(), both, {.verbose = 0}).epoch.size(), 1U);
}

TEST(Errors, OfStacks) {
  EXPECT_THROW(Sequential().predict(x(), {.verbose = 0}), ValueError);
  EXPECT_THROW(Sequential({Input({1}), Input({1}), Dense(1)}), ValueError);
  Sequential model({Input({1})});
  EXPECT_THROW(model.add(Input({1})), ValueError);
  model.add(Dense(1));
  EXPECT_EQ(model.layers().size(), 1U);
}

TEST(Errors, OfInputsByName) {
  const Tensor in = Input({1}, {.name = "a"});
  for (const Nest& inputs : {Nest(in), Nest::dict({{"a", in}})}) {
    Model model(inputs, Dense(1)(in));
    EXPECT_THROW(model.predict(Nest::dict({{"b", x()}}), {.verbose = 0}), ValueError);
    EXPECT_EQ(model.predict(Nest::dict({{"a", x()}}), {.verbose = 0}).tensor().dim(0), 4);
  }
}

TEST(Errors, NameInputsAndOutputs) {
  const Tensor a = Input({1}, {.name = "a"});
  const Tensor b = Input({1}, {.name = "b"});
  Model model({a, b}, {Dense(1, {.name = "price"})(a), Dense(1, {.name = "kind"})(b)}, "shop");
  const auto message = [](const std::function<void()>& use) -> std::string {
    try {
      use();
    } catch (const ValueError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] {
              model.predict({x(), x(), x()}, {.verbose = 0});
            }),
            "A functional model with 2 input(s), \"a\", \"b\", was called on 3. Expected the "
            "structure [*, *], received [*, *, *]. In layer \"shop\" (class Functional), called on "
            "(4, 1), (4, 1), (4, 1).");
  model.compile({.loss = "mse", .metrics = {{"price", "mae"}, {"knd", "mse"}}});
  EXPECT_EQ(message([&] {
              model.fit({x(), x()}, {x(), x()}, {.verbose = 0});
            }),
            "Unknown output name 'knd' in `metrics`. Expected names of outputs: ['price', "
            "'kind'].");
}

TEST(Errors, OfAnEmptyNameOfAnOptimizer) {
  EXPECT_THROW(OptimizerSpec::from_config(""), ValueError);
}

TEST(Errors, InsideOfATracedFunction) {
  Sequential model = small_model();
  const Function wrapped = tf::function([&](const Nest& batch) -> Nest {
    model.fit(batch, {.verbose = 0});
    return batch;
  });
  EXPECT_THROW(wrapped(x()), RuntimeError);
  const Function evaluated = tf::function([&](const Nest& batch) -> Nest {
    model.evaluate(batch, {.verbose = 0});
    return batch;
  });
  EXPECT_THROW(evaluated(x()), RuntimeError);
  EXPECT_EQ(model.fit(x(), x(), {.verbose = 0}).epoch.size(), 1U);
}

}  // namespace
}  // namespace antler
