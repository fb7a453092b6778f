// The texts of errors: they name the layer, loss or argument, and sizes in the user's terms.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/tensor.h"
#include "antler/nn/constraint.h"
#include "antler/nn/initializers.h"
#include "antler/nn/layers.h"
#include "antler/nn/losses.h"
#include "antler/nn/metrics.h"
#include "antler/nn/optimizers.h"
#include "antler/nn/registry.h"
#include "antler/nn/regularizer.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {
namespace {

struct Misuse {
  const char* exception;
  const char* says;  ///< the end of the message
  std::function<void()> use;
};

void check(const std::vector<Misuse>& misuses) {
  for (const Misuse& misuse : misuses) {
    std::string exception = "none";
    std::string text;
    try {
      misuse.use();
    } catch (const Error& error) {
      exception = error.class_name();
      text = error.what();
    }
    EXPECT_EQ(exception, misuse.exception) << misuse.says;
    EXPECT_TRUE(text.ends_with(misuse.says)) << text << "\n does not end with\n" << misuse.says;
  }
}

Tensor zeros(const Shape& shape) { return Tensor::zeros(DType::float32, shape); }

class Narrow : public LayerBase<Narrow> {
 public:
  explicit Narrow(const LayerOptions& options = {}) : LayerBase(options) {}
  Tensor call(const Tensor& x) override { return ops::reshape(x, {x.dim(0), 3}); }
};

class Outer : public LayerBase<Outer> {
 public:
  Tensor call(const Tensor& x) override { return inner_(x); }

 private:
  Narrow inner_ = track("inner", Narrow({.name = "own"}));
};

TEST(ErrorTexts, InputsThatAreNotDefined) {
  const char* none = "was called on None. Expected a tensor or a structure of tensors.";
  const char* second = "expected a tensor, received None.";
  const Tensor x = zeros({2, 3});
  check({{"ValueError", none, [] { Dense(2)(Tensor()); }},
         {"ValueError", none, [] { Flatten()(Tensor()); }},
         {"ValueError", second,
          [&] {
            Add()(Tensors{x, Tensor()});
          }},
         {"ValueError", second,
          [&] {
            Dot(1)(Tensors{x, Tensor()});
          }},
         {"ValueError", second, [&] {
            Concatenate()(Tensors{x, Tensor()});
          }}});
}

TEST(ErrorTexts, ArraysOfUnknownSize) {
  check({{"ValueError", "must be fully known. Received: (2, None)", [] {
            initializers::Zeros()({2, -1});
          }}});
}

TEST(ErrorTexts, NameTheLayerAndShowUnknownSizesAsNone) {
  check({
      {"ValueError", "In layer \"sum\" (class Add), called on (None, 4), (None, 5).",
       [] {
         Add({.name = "sum"})({Input({4}), Input({5})});
       }},
      {"ValueError", "In layer \"sum\" (class Add), called on (2, 4), (2, 5).",
       [] {
         Add({.name = "sum"})({zeros({2, 4}), zeros({2, 5})});
       }},
      {"ValueError", "Received: one tensor of shape (None, 4) at layer \"sum\".",
       [] { Add({.name = "sum"})(Input({4})); }},
      {"ValueError", "target_shape=(3, 3). In layer \"rs\" (class Reshape), called on (None, 8).",
       [] {
         Reshape({3, 3}, {.name = "rs"})(Input({8}));
       }},
      {"ValueError",
       "`inputs shape=(None, 2, 2, 1)`, `kernel shape=(3, 3)`, `dilation_rate=(1, 1)` at layer "
       "\"conv\".",
       [] {
         Conv2D(2, 3, {.name = "conv"})(Input({2, 2, 1}));
       }},
      {"ValueError", "input_shape=[(None, 4, 4), (None, 3, 5)] at layer \"cat\".",
       [] {
         Concatenate({.name = "cat"})({Input({4, 4}), Input({3, 5})});
       }},
      {"ValueError", "In layer \"own_8\" (class Narrow), called on (None, 4).",
       [] { Narrow({.name = "own_8"})(Input({4})); }},
      // The innermost layer is the one that is named.
      {"ValueError", "In layer \"own\" (class Narrow), called on (2, 4).",
       [] {
         Outer()(zeros({2, 4}));
       }},
  });
}

TEST(ErrorTexts, NameTheLoss) {
  check({
      {"ValueError",
       "In the loss \"mean_squared_error\", called on y_true of shape (4, 2) and y_pred of shape "
       "(4, 3).",
       [] {
         losses::MeanSquaredError()(zeros({4, 2}), zeros({4, 3}));
       }},
      {"ValueError",
       "In the loss \"mine\", called on y_true of shape (4, 2) and y_pred of shape (3,).",
       [] {
         losses::from_function("mine", [](const Tensor& t, const Tensor& p) { return t - p; })(
             zeros({4, 2}), zeros({3}));
       }},
      {"ValueError",
       "(one-hot targets go with categorical_crossentropy). Received: y_true.shape=(4, 3), "
       "y_pred.shape=(4, 3).",
       [] {
         losses::sparse_categorical_crossentropy(zeros({4, 3}), zeros({4, 3}));
       }},
  });
}

TEST(ErrorTexts, NameWhatThereIs) {
  check({
      {"ValueError",
       "identifier: 'l3'. Known regularizers: 'l1', 'l2', 'l1l2', 'orthogonal_regularizer'.",
       [] { Dense(1, {.kernel_regularizer = "l3"}); }},
      {"ValueError",
       "identifier: 'non_negative'. Did you mean 'non_neg'? Known constraints: 'max_norm', "
       "'min_max_norm', 'unit_norm', 'non_neg', 'radial_constraint'.",
       [] { Dense(1, {.kernel_constraint = "non_negative"}); }},
      {"ValueError", "'schedulefreeadamw', 'lossscaleoptimizer', 'multioptimizer'.",
       [] { optimizers::get("adamm"); }},
  });
}

TEST(ErrorTexts, OfSizesInAListOfAnotherLength) {
  check({
      {"ValueError", "`kernel_size` argument must be one integer or 2 integers. Received: (3,)",
       [] { Conv2D(2, std::vector<int64_t>{3}); }},
      {"ValueError", "`pool_size` argument must be one integer or 2 integers. Received: (2,)",
       [] { MaxPooling2D({.pool_size = std::vector<int64_t>{2}}); }},
      {"ValueError", "`kernel_size` argument must be one integer or 2 integers. Received: (3,)",
       [] {
         Json config = Conv2D(2, 3).get_config();
         config["kernel_size"] = {3};
         layer_from_config("Conv2D", config);
       }},
  });
  EXPECT_EQ((Conv2D(2, {3}).get_config()["kernel_size"]), (Json{3, 3}));
  EXPECT_EQ(Conv1D(2, {3}).get_config()["kernel_size"], Json({3}));
  Json config = Conv2D(2, 3).get_config();
  config["kernel_size"] = 3;
  EXPECT_EQ(layer_from_config("Conv2D", config)->get_config()["kernel_size"], Json({3, 3}));
}

/// Python: "Dense.__init__() got multiple values for argument 'units'".
TEST(ErrorTexts, OfAnArgumentByPositionAndByName) {
  const auto twice = [](const std::string& start, const std::function<void()>& use) {
    try {
      use();
      ADD_FAILURE() << start << ": no error";
    } catch (const TypeError& error) {
      EXPECT_EQ(error.what(), start + "`: by position and by name.");
    }
  };
  twice("Dense: got multiple values for argument `units", [] { Dense(2, {.units = 3}); });
  twice("Dropout: got multiple values for argument `rate", [] { Dropout(0.5, {.rate = 0.2}); });
  twice("Conv2D: got multiple values for argument `kernel_size",
        [] { Conv2D(2, 3, {.kernel_size = 3}); });
  twice("ZeroPadding2D: got multiple values for argument `padding",
        [] { ZeroPadding2D(EdgeSizes(1), {.padding = 2}); });
  twice("Rescaling: got multiple values for argument `scale",
        [] { Rescaling(0.5, {.scale = 2.0}); });
  twice("RandomFlip: got multiple values for argument `mode",
        [] { RandomFlip("vertical", {.mode = "horizontal"}); });
  twice("RNN: got multiple values for argument `cell",
        [] { RNN(LSTMCell(2), {.cell = LSTMCell(3).share()}); });
  twice("Adam: got multiple values for argument `learning_rate",
        [] { optimizers::Adam(0.1, {.learning_rate = 0.2}); });
  twice("SGD: got multiple values for argument `learning_rate", [] {
    const optimizers::schedules::ExponentialDecay schedule(0.1, 1, 0.9);
    optimizers::SGD(0.1, {.learning_rate = schedule});
  });
  twice("Huber: got multiple values for argument `delta",
        [] { losses::Huber(0.5, {.delta = 2.0}); });
  twice("MeanIoU: got multiple values for argument `num_classes",
        [] { metrics::MeanIoU(2, {.num_classes = 3}); });
  twice("MaxNorm: got multiple values for argument `max_value",
        [] { constraints::MaxNorm(1.0, {.max_value = 3.0}); });
  twice("RandomNormal: got multiple values for argument `stddev",
        [] { initializers::RandomNormal(0.0, 1.0, {.stddev = 2.0}); });
  EXPECT_NO_THROW(Dropout(0.5, {.seed = 1}));
}

}  // namespace
}  // namespace antler
