#include "antler/nn/layer.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/nn/layers.h"
#include "antler/nn/mask.h"
#include "antler/nn/object_factory.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

/// A layer as a user writes it.
class Scale : public LayerBase<Scale> {
 public:
  explicit Scale(const LayerOptions& options = {}) : LayerBase("Scale", options) {}
  void build(const Shape& input) override {
    factor_ = add_weight({.shape = {input.back()}, .initializer = "ones", .name = "factor"});
    count_ = add_weight({.shape = {}, .initializer = "zeros", .trainable = false, .name = "count"});
  }
  Tensor call(const Tensor& x, const CallOptions& options) override {
    seen_training() = static_cast<bool>(options.training);
    if (options.training) count_.assign(count_ + Tensor::full(DType::float32, {}, 1));
    add_loss(ops::sum(factor_));
    return x * value_of(factor_);
  }
  static bool& seen_training() {
    static bool value = false;
    return value;
  }

 private:
  Variable factor_;
  Variable count_;
};

class Block : public LayerBase<Block> {
 public:
  Block() : LayerBase("Block") {}
  Tensor call(const Tensor& x, const CallOptions& options) override {
    return outer_(scale_(x), options);
  }

 private:
  Scale scale_ = track("scale", Scale());
  Dense outer_ = track("outer", Dense(3, {.name = "outer"}));
};

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const Tensor kRow = Tensor::of<float>({1, 2}, {1, 2});

TEST(Layer, CopiesShareWeights) {
  Dense a(3);
  Dense b = a;
  b(kRow);
  EXPECT_TRUE(a.built());
  EXPECT_EQ(a.weights()[0], b.weights()[0]);
  const Dense c =
      static_cast<const Dense&>(*a.share());  // a copy of the shared instance is a handle too
  EXPECT_EQ(c.weights()[0], a.weights()[0]);
}

TEST(Layer, StateEndsWithTheLastHandle) {
  std::weak_ptr<LayerState> state;
  LayerPtr kept;
  {
    Dense layer(3);
    layer(kRow);
    state = layer.state();
    kept = layer.share();
  }
  EXPECT_FALSE(state.expired());
  EXPECT_EQ(kept->weights().size(), 2U);
  kept.reset();
  EXPECT_TRUE(state.expired());
}

TEST(Layer, NamesCountPerClass) {
  clear_session();
  EXPECT_EQ(Dense(1).name(), "dense");
  EXPECT_EQ(Dense(1).name(), "dense_1");
  EXPECT_EQ(MaxPooling2D().name(), "max_pooling2d");
  EXPECT_EQ(ReLU().name(), "re_lu");
  EXPECT_EQ(Dense(1, {.name = "mine"}).name(), "mine");
  EXPECT_EQ(Dense(1).name(), "dense_2");
  EXPECT_EQ(to_snake_case("Conv2DTranspose"), "conv2d_transpose");
  EXPECT_EQ(to_snake_case("PReLU"), "p_re_lu");
  EXPECT_EQ(to_snake_case("LSTM"), "lstm");
  EXPECT_THROW(Dense(1, {.name = "a/b"}), ValueError);
}

TEST(Layer, TrainingComesFromTheCallElseFromTheOuterCall) {
  Scale scale;
  scale(kRow);
  EXPECT_FALSE(Scale::seen_training());
  scale(kRow, {.training = true});
  EXPECT_TRUE(Scale::seen_training());
  EXPECT_EQ(scale.weights()[1].stored().item(), 1);
  Block block;
  block(kRow, {.training = true});
  EXPECT_TRUE(Scale::seen_training());
  block(kRow);
  EXPECT_FALSE(Scale::seen_training());
}

TEST(Layer, WeightsInOrderWithPaths) {
  clear_session();
  Block block;
  block(kRow);
  std::vector<std::string> paths;
  for (const Variable& v : block.weights()) paths.push_back(v.path());
  EXPECT_EQ(paths, (std::vector<std::string>{"block/scale/factor", "block/scale/count",
                                             "block/outer/kernel", "block/outer/bias"}));
  EXPECT_EQ(block.trainable_variables().size(), 3U);
  EXPECT_EQ(block.non_trainable_variables().size(), 1U);
  EXPECT_EQ(block.count_params(), 2 + 1 + 6 + 3);
  block.set_trainable(false);
  EXPECT_TRUE(block.trainable_variables().empty());
  EXPECT_EQ(block.non_trainable_variables().size(), 4U);
  EXPECT_FALSE(block.sublayers()[0]->trainable());
}

TEST(Layer, LossesAreThoseOfTheLastCall) {
  Block block;
  block(kRow);
  block(kRow);
  ASSERT_EQ(block.losses().size(), 1U);
  EXPECT_EQ(block.losses()[0].item(), 2);
}

TEST(Layer, BuildsWithValuesWhileTracing) {
  Dense dense(3);
  ir::Tracer tracer;
  const Tensor y = dense(tracer.input({DType::float32, {4, 2}}));
  EXPECT_TRUE(y.is_traced());
  const ir::Tracer::Result result = tracer.finish(Tensors{y});
  EXPECT_EQ(result.graph.states.size(), 2U);
  EXPECT_EQ(dense.weights()[0].stored().shape(), (Shape{2, 3}));
}

TEST(Layer, GetAndSetWeights) {
  Dense a(2);
  Dense b(2);
  a(kRow);
  b(kRow);
  b.set_weights(a.get_weights());
  EXPECT_EQ(b(kRow).to_doubles(), a(kRow).to_doubles());
  EXPECT_THROW(b.set_weights({}), ValueError);
  EXPECT_THROW(b.set_weights({kRow, kRow}), ValueError);
}

TEST(Layer, InputErrorsAreKerass) {
  Dense dense(3, {.name = "dense"});
  dense(kRow);
  EXPECT_EQ(message_of([&] {
              dense(Tensor::zeros(DType::float32, {5, 10}));
            }),
            "Input 0 of layer \"dense\" is incompatible with the layer: expected axis -1 of input "
            "shape to have value "
            "2, but received input with shape (5, 10)");
  EXPECT_EQ(message_of([&] { dense(Input({10})); }),
            "Input 0 of layer \"dense\" is incompatible with the layer: expected axis -1 of input "
            "shape to have value "
            "2, but received input with shape (None, 10)");
  EXPECT_EQ(message_of([&] { Dense(3, {.name = "d"})(Tensor::zeros(DType::float32, {5})); }),
            "Input 0 of layer \"d\" is incompatible with the layer: expected min_ndim=2, found "
            "ndim=1. Full shape "
            "received: (5,)");
  EXPECT_EQ(
      message_of([&] {
        Conv2D(3, 2, {.name = "c"})(Tensor::zeros(DType::float32, {5, 4, 4}));
      }),
      "Input 0 of layer \"c\" is incompatible with the layer: expected min_ndim=4, found ndim=3. "
      "Full shape "
      "received: (5, 4, 4)");
}

TEST(Layer, OptionErrors) {
  EXPECT_THROW(Dense(0), ValueError);
  EXPECT_THROW(Dense(3, {.activation = "no_such"}), ValueError);
  EXPECT_THROW(Dense(3, {.kernel_initializer = "no_such"}), ValueError);
  EXPECT_THROW(Conv2D(4, 3, {.strides = 2, .dilation_rate = 2}), ValueError);
  EXPECT_THROW(Conv2D(4, 3, {.groups = 3}), ValueError);
  EXPECT_THROW(Conv2D(4, {3, 3, 3}), ValueError);
  EXPECT_THROW(Conv2D(4, 3, {.padding = "causal"}), ValueError);
  EXPECT_THROW(Conv2D(4, 5)(Tensor::zeros(DType::float32, {1, 3, 3, 2})), ValueError);
  EXPECT_THROW(Conv2D(4, 1, {.groups = 2})(Tensor::zeros(DType::float32, {1, 3, 3, 3})),
               ValueError);
  EXPECT_THROW(MaxPooling2D({.data_format = "first"}), ValueError);
  EXPECT_THROW(Dropout(1.5), ValueError);
  EXPECT_THROW(Reshape({-1, -1}), ValueError);
  EXPECT_THROW(Reshape({5})(kRow), ValueError);
  EXPECT_THROW(ReLU({.max_value = -1}), ValueError);
  EXPECT_THROW(Embedding(0, 3), ValueError);
  EXPECT_THROW(Concatenate()({kRow, Tensor::zeros(DType::float32, {2, 2})}), ValueError);
  EXPECT_THROW(Subtract()({kRow, kRow, kRow}), ValueError);
  EXPECT_THROW(Add()(kRow), ValueError);
  EXPECT_THROW(Dense(2)({kRow, kRow}), ValueError);
  EXPECT_EQ(Dense(2)({kRow}).shape(), (Shape{1, 2}));
  EXPECT_THROW(layer_from_config("NoSuchLayer", Json::object()), ValueError);
}

TEST(Layer, MasksTravel) {
  Embedding embedding(4, 2, {.mask_zero = true});
  const Tensor ids = Tensor::of<int32_t>({1, 0, 3, 2}, {2, 2});
  Tensor x = embedding(ids);
  EXPECT_EQ(keras_mask(x).to_doubles(), (std::vector<double>{1, 0, 1, 1}));
  x = Dense(2)(x);
  EXPECT_EQ(keras_mask(x).to_doubles(), (std::vector<double>{1, 0, 1, 1}));
  x = Dropout(0.5)(x);  // gives its input back
  EXPECT_TRUE(keras_mask(x).defined());
  const Tensor pooled = GlobalAveragePooling1D()(x);
  EXPECT_FALSE(keras_mask(pooled).defined());
  const std::vector<double> all = x.to_doubles();
  EXPECT_FLOAT_EQ(static_cast<float>(pooled.to_doubles()[0]),
                  static_cast<float>(all[0]));  // one step is kept
  EXPECT_FALSE(keras_mask(Flatten()(x)).defined());
}

// Keras selects where one could multiply by the mask.
TEST(Layer, AveragesTakeNothingFromMaskedSteps) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of<float>({2, nan, 4, 5, 6, 7}, {3, 2, 1});
  const Tensor mask = ops::cast(Tensor::of<int32_t>({1, 0, 1, 1, 0, 0}, {3, 2}), DType::boolean);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = GlobalAveragePooling1D()(x, {.mask = mask});
  const std::vector<double> values = y.to_doubles();
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 4.5);
  EXPECT_TRUE(std::isnan(values[2]));  // of nothing
  const std::vector<double> gradient = tape.gradient(ops::square(y), x).to_doubles();
  EXPECT_EQ(gradient, (std::vector<double>{4, 0, 4.5, 4.5, 0, 0}));
}

TEST(Layer, CustomLayersAreFoundByTheirName) {
  register_object("tests>Scale", [](const Json& config) {
    return Scale({.name = config["name"].get<std::string>()}).share();
  });
  const LayerPtr layer = layer_from_config("Scale", Scale({.name = "again"}).get_config());
  EXPECT_EQ(layer->name(), "again");
  EXPECT_EQ(layer->class_name(), "Scale");
}

/// Not derived from LayerBase: works as the object that it is, but cannot be shared.
class Plain : public Layer {
 public:
  Plain() : Layer("Plain") {}
  Tensor call(const Tensor& x, const CallOptions&) override {
    ++calls;
    return x;
  }
  int calls = 0;
};

TEST(Layer, ConfigurationsHaveTheKeysOfKeras) {
  EXPECT_TRUE(LSTM(2).get_config().at("activity_regularizer").is_null());
  EXPECT_FALSE(SimpleRNN(2).get_config().contains("seed"));
  const Json attention = MultiHeadAttention(1, 2, {.activity_regularizer = "l2"}).get_config();
  EXPECT_EQ(attention.at("activity_regularizer").at("class_name"), "L2");
  const Json input = {{"batch_shape", {nullptr, 3}},
                      {"dtype", "float32"},
                      {"sparse", true},
                      {"ragged", false},
                      {"name", "x"},
                      {"optional", true}};
  EXPECT_EQ(layer_from_config("InputLayer", input)->get_config(), input);
}

TEST(Layer, ClassesThatCannotBeShared) {
  Plain plain;
  plain(kRow);
  EXPECT_EQ(plain.calls, 1);
  EXPECT_THROW(plain.share(), TypeError);
}

/// Calls a member that was not given to track(), twice.
class OuterLayer : public LayerBase<OuterLayer> {
 public:
  Tensor call(const Tensor& x) override { return second_(inner_(inner_(x))); }

 private:
  Dense inner_{2};
  Dense second_{2};
};

/// Makes a layer in each call.
class Forgetful : public LayerBase<Forgetful> {
 public:
  Tensor call(const Tensor& x) override { return Dense(2, {.name = "new"})(ReLU()(x)); }
};

std::string warnings_of(const std::function<void()>& f) {
  std::string warnings;
  logging::set_warning_sink([&](std::string_view warning) { warnings += warning; });
  f();
  logging::set_warning_sink({});
  return warnings;
}

TEST(Layer, MembersThatItCallsBecomePartsOfIt) {
  OuterLayer outer;
  EXPECT_EQ(warnings_of([&] { outer(kRow); }), "");
  ASSERT_EQ(outer.weights().size(), 4U);
  EXPECT_EQ(outer.trainable_variables().size(), 4U);
  EXPECT_EQ(outer.weights()[0].path(),
            outer.name() + "/" + outer.sublayers()[0]->name() + "/kernel");
  outer(kRow);
  EXPECT_EQ(outer.sublayers().size(), 2U);
  outer.set_trainable(false);
  EXPECT_TRUE(outer.trainable_variables().empty());
}

TEST(Layer, WarnsOfWeightsThatEachCallMakesAnew) {
  Forgetful layer;
  const std::string warnings = warnings_of([&] { layer(kRow); });
  EXPECT_NE(warnings.find("Layer \"new\" (class Dense) was created inside the call of \"forgetful"),
            std::string::npos)
      << warnings;
  EXPECT_TRUE(layer.sublayers().empty());
}

TEST(Layer, AFailedCallAdoptsNothing) {
  class Failing : public LayerBase<Failing> {
   public:
    Tensor call(const Tensor& x) override {
      inner_(x);
      throw ValueError("no");
    }

   private:
    Dense inner_{2};
  };
  Failing failing;
  EXPECT_THROW(failing(kRow), ValueError);
  EXPECT_TRUE(failing.sublayers().empty());
  OuterLayer outer;
  outer(kRow);
  EXPECT_EQ(outer.sublayers().size(), 2U);
}

// A call() or build() whose signature means that it would never be called does not compile.
struct ByValue : LayerBase<ByValue> {
  Tensor call(Tensor x) { return x; }
};
struct WithNumber : LayerBase<WithNumber> {
  Tensor call(const Tensor& x, int) { return x; }
};
struct OfThree : LayerBase<OfThree> {
  Tensor call(const Tensor& x, const Tensor& y, const Tensor& z) { return x + y + z; }
};
struct BuildByValue : LayerBase<BuildByValue> {
  void build(Shape) {}  // NOLINT(performance-unnecessary-value-param): the signature to be refused
};
struct Several : LayerBase<Several> {
  using LayerBase::call;
  Tensor call(const Tensor& x) override { return x; }
};
/// The base of a model has a build with other arguments, which it calls.
struct OtherBuild : Scale {
  void build(const std::string&) {}
};
struct InheritsBuild : LayerBase<InheritsBuild, OtherBuild> {};
static_assert(internal::BuildFits<InheritsBuild> && internal::CallFits<InheritsBuild>);
static_assert(!internal::CallFits<ByValue>);
static_assert(!internal::CallFits<WithNumber>);
static_assert(!internal::CallFits<OfThree>);
static_assert(!internal::BuildFits<BuildByValue>);
static_assert(internal::CallFits<Scale> && internal::BuildFits<Scale>);
static_assert(internal::CallFits<Several> && internal::BuildFits<Several>);

TEST(Layer, ACallMayTakeTheMask) {
  struct Sum : LayerBase<Sum> {
    Tensor call(const Tensor& x, const Tensor& mask) override {
      return mask.defined() ? ops::sum(x * ops::cast(mask, "float32"), 1) : ops::sum(x, 1);
    }
  };
  const Tensor x = Tensor({{1.0, 2.0, 0.0}, {3.0, 0.0, 5.0}});
  Sum sum;
  EXPECT_EQ(sum(x).to_vector<float>(), (std::vector<float>{3, 8}));
  const Tensor mask = Tensor({{true, false, true}, {true, true, false}});
  EXPECT_EQ(sum(x, {.mask = mask}).to_vector<float>(), (std::vector<float>{1, 3}));

  struct Both : LayerBase<Both> {
    Tensor call(const Tensor& x, bool training, const Tensor& mask) override {
      return (training ? 2.0 : 1.0) * (mask.defined() ? ops::cast(mask, "float32") : x);
    }
  };
  Both both;
  EXPECT_EQ(both(x).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(both(x, {.training = true, .mask = mask}).to_vector<float>(),
            (std::vector<float>{2, 0, 2, 2, 2, 0}));
  // A layer inside of the one with a mask inherits `training`.
  struct Outer : LayerBase<Outer> {
    Tensor call(const Tensor& x, const Tensor&) override { return inner(x); }
    Both inner;
  };
  EXPECT_EQ(Outer()(x, {.training = true}).to_vector<float>(), (2.0 * x).to_vector<float>());
}

TEST(Layer, ComputeMaskMayTakeOneTensor) {
  struct FirstTwo : LayerBase<FirstTwo> {
    FirstTwo() { set_supports_masking(true); }
    Tensor call(const Tensor& x) override { return x[{Slice(), Slice(2)}]; }
    Tensor compute_mask(const Tensor&, const Tensor& mask) override {
      return mask[{Slice(), Slice(2)}];
    }
  };
  struct Plain : LayerBase<Plain> {
    Tensor call(const Tensor& x) override { return x; }
  };
  struct OfNest : LayerBase<OfNest> {
    Tensor call(const Tensor& x) override { return x; }
    Tensor compute_mask(const Nest& inputs, const Tensor&) override {
      return ops::not_equal(inputs.tensor(), 0.0);
    }
  };
  const Tensor x = Tensor({{1.0, 2.0, 0.0}});
  const Tensor mask = Tensor({{true, false, true}});
  FirstTwo first_two;
  EXPECT_EQ(keras_mask(first_two(x, {.mask = mask})).shape(), Shape({1, 2}));
  // Each overload answers a call of the other one.
  Layer& layer = first_two;
  EXPECT_EQ(layer.compute_mask(Nest(x), mask).shape(), Shape({1, 2}));
  EXPECT_EQ(layer.compute_mask(x, mask).shape(), Shape({1, 2}));
  OfNest of_nest;
  Layer& other = of_nest;
  EXPECT_EQ(other.compute_mask(x, mask).to_vector<bool>(), (std::vector<bool>{true, true, false}));
  Plain plain;
  Layer& third = plain;
  EXPECT_EQ(third.compute_mask(x, mask).id(), mask.id());
  EXPECT_EQ(third.compute_mask(Nest(x), mask).id(), mask.id());
}

TEST(Layer, ACallMayTakeTraining) {
  struct Doubled : LayerBase<Doubled> {
    Tensor call(const Tensor& x, bool training) override { return training ? 2.0 * x : x; }
  };
  Doubled doubled;
  const Tensor x = Tensor::of<float>({1, 2});
  EXPECT_EQ(doubled(x).to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(doubled(x, {.training = true}).to_vector<float>(), (std::vector<float>{2, 4}));

  struct Around : LayerBase<Around> {
    Tensor call(const Tensor& x) override { return inner(x); }
    Doubled inner = track(Doubled());
  };
  Around around;
  EXPECT_EQ(around(x, {.training = true}).to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST(Layer, PartsWithoutANameAreNamedAfterTheirClass) {
  struct Two : LayerBase<Two> {
    Tensor call(const Tensor& x) override { return second(first(x)); }
    void add(const std::string& name) { track(name, Dense(1)); }
    Dense first = track(Dense(2)), second = track(Dense(3));
  };
  Two two;
  two(kRow);
  EXPECT_EQ(two.sublayers().size(), 2U);
  EXPECT_THROW(two.add("dense"), ValueError);
  EXPECT_THROW(two.add("dense_1"), ValueError);
  two.add("dense_2");
}

TEST(Layer, OptionsInBracesNameALayer) {
  struct Named : LayerBase<Named> {
    Named() : LayerBase({.name = "mine", .trainable = false}) {}
    Tensor call(const Tensor& x) override { return x; }
  };
  const Named layer;
  EXPECT_EQ(layer.name(), "mine");
  EXPECT_EQ(layer.class_name(), "Named");
  EXPECT_FALSE(layer.trainable());
}

}  // namespace
}  // namespace antler
