// First programs: numbers in and out; see first_programs_test.cpp.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

using namespace std;     // NOLINT(google-build-using-namespace): that is the test
using namespace antler;  // NOLINT(google-build-using-namespace)

namespace {

TEST(FirstPrograms, PredictionsBoundToAReference) {
  Sequential model({Input({4}), Dense(1)});
  const Tensor& p = model.predict(ops::ones({3, 4}), {.verbose = 0});
  EXPECT_EQ(p.shape(), Shape({3, 1}));
  EXPECT_EQ(p.reshape({-1}).astype("int32").dtype(), DType::int32);
}

TEST(FirstPrograms, OperatorsOfPython) {
  const Tensor x = ops::arange(6);
  EXPECT_EQ((x % 4).to_doubles(), (vector<double>{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ((7 % (x + 1)).to_doubles(), (vector<double>{0, 1, 1, 3, 2, 1}));
  EXPECT_EQ(((x > 1) & ~(x == 3)).to_doubles(), (vector<double>{0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(((x < 1) | (x > 4)).to_doubles(), (vector<double>{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ((x ^ 1).to_doubles(), (vector<double>{1, 0, 3, 2, 5, 4}));
  const data::Dataset even =
      data::Dataset::range(5).filter([](const Tensor& v) { return v % 2 == 0; });
  int64_t total = 0;
  for (const Nest& v : even) total += v.tensor().item<int64_t>();
  EXPECT_EQ(total, 6);
}

TEST(FirstPrograms, OperandsOneByOne) {
  const Tensor x = ops::reshape(ops::arange(6), {2, 3});
  EXPECT_EQ(ops::einsum("ij,kj->ik", x, x).to_doubles(), (vector<double>{5, 14, 14, 50}));
  EXPECT_EQ(ops::einsum("ij->ji", x).shape(), Shape({3, 2}));
  EXPECT_EQ(ops::meshgrid(ops::arange(2), ops::arange(3))[0].shape(), Shape({3, 2}));
}

TEST(FirstPrograms, RowsOfAPrediction) {
  Sequential model({Input({2}), Dense(3)});
  const Tensor x = random::normal({5, 2}, {.seed = 1});
  const Nest all = model.predict(x, kw::verbose = 0);
  EXPECT_EQ(all[Slice(2)].to_doubles(), all.tensor()[Slice(0, 2)].to_doubles());
  EXPECT_EQ(all[Slice(3, None)].shape(), Shape({2, 3}));

  const auto p = model.predict(x, kw::verbose = 0);
  const vector<float> values = p.to_vector<float>();
  EXPECT_EQ(p[1].shape(), Shape({3}));
  EXPECT_EQ(float(p[1][2]), values[5]);
  EXPECT_EQ((float(p[{-1, 0}])), values[12]);
  EXPECT_EQ(p[-1].tensor().to_doubles(), p[Slice(-1, None)].to_doubles());
  EXPECT_THROW((void)p[5], IndexError);
  EXPECT_EQ(model.predict_on_batch(x)[4].tensor().to_doubles(), p[4].tensor().to_doubles());
}

TEST(FirstPrograms, OutputsOfAPrediction) {
  const Tensor x = Input({2});
  Model model(x, {Dense(1)(x), Dense(3)(x)});
  const auto p = model.predict(ops::ones({4, 2}), kw::verbose = 0);
  EXPECT_EQ(p[0].shape(), Shape({4, 1}));
  EXPECT_EQ(p[-1].shape(), Shape({4, 3}));
  EXPECT_EQ(p[1][3].shape(), Shape({3}));
  EXPECT_THROW((void)p[2], IndexError);
  EXPECT_THROW((void)p[-3], IndexError);
  EXPECT_THROW((void)p.to_vector<float>(), TypeError);
  const auto [one, three] = p;
  EXPECT_EQ(one.shape(), Shape({4, 1}));
  EXPECT_EQ(three.shape(), Shape({4, 3}));
}

TEST(FirstPrograms, NumbersInBracesTakeADtype) {
  const Tensor x = Tensor({{1, 2}, {3, 4}}, "float32");
  EXPECT_EQ(x.dtype(), DType::float32);
  EXPECT_EQ(x.shape(), Shape({2, 2}));
  EXPECT_EQ(x.to_doubles(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(Tensor({{1.0}}, DType::int64).dtype(), DType::int64);
  // A shape is still a shape.
  EXPECT_EQ(Tensor(std::vector<int>{1, 2, 3, 4}, {2, 2}).shape(), Shape({2, 2}));
  EXPECT_EQ(ops::image::extract_patches(ops::ones({1, 4, 4, 1}), 2).shape(), Shape({1, 2, 2, 4}));
}

TEST(FirstPrograms, NumbersInBracesAreArrays) {
  const Tensor integers = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(integers.spec(), (TensorSpec{DType::int32, {2, 3}}));
  EXPECT_EQ(Tensor({{1.5}, {-2}, {0.5}}).spec(), (TensorSpec{DType::float32, {3, 1}}));
  EXPECT_EQ(Tensor({0, 2, 1}).to_doubles(), (vector<double>{0, 2, 1}));
  EXPECT_EQ(Tensor(2.0).shape(), Shape({}));
  EXPECT_EQ((Tensor{{{1}, {2}}, {{3}, {4}}}).shape(), Shape({2, 2, 1}));
  EXPECT_THROW((void)Tensor({{1, 2}, {3}}), ValueError);
  EXPECT_EQ(ops::one_hot({0, 2}, 3).to_doubles(), (vector<double>{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(ops::full({2}, 7).spec(), (TensorSpec{DType::float32, {2}}));
}

TEST(FirstPrograms, VectorsAreTensors) {
  const vector<float> values = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(ops::reshape(values, {3, -1}).shape(), Shape({3, 2}));
  EXPECT_EQ((Tensor(values, {2, 3})[{1, 0}].item()), 3);
  EXPECT_THROW((void)Tensor(values, {4, 2}), ValueError);
  const Tensor rows = vector<vector<double>>{{1, 2}, {3, 4}};
  EXPECT_EQ(rows.spec(), (TensorSpec{DType::float64, {2, 2}}));
  const Tensor labels = vector<int>{1, 0};
  EXPECT_EQ(labels.dtype(), DType::int32);

  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const auto weighted =
      model.evaluate(rows, labels, kw::sample_weight = vector<float>{1, 0}, kw::verbose = 0);
  EXPECT_NE(weighted.at("loss"), model.evaluate(rows, labels, kw::verbose = 0).at("loss"));
  model.fit(rows, labels, kw::sample_weight = vector<float>{1, 2}, kw::verbose = 0);
}

TEST(FirstPrograms, PairsAreNamedWithoutUnpack) {
  const Tensor x = ops::ones({4, 2});
  const data::Dataset dataset = data::Dataset::from_tensor_slices(x, ops::arange(4)).batch(2);
  int batches = 0;
  for (const auto& [features, labels] : dataset) {
    EXPECT_EQ(features.shape(), Shape({2, 2}));
    EXPECT_EQ(labels.shape(), Shape({2}));
    ++batches;
  }
  EXPECT_EQ(batches, 2);
  const auto name_two = [](const auto& values) {
    const auto& [a, b] = values;
    return pair(a, b);
  };
  EXPECT_THROW(name_two(Nest{x, x, x}), ValueError);

  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse", kw::metrics = {"mae"});
  const auto [loss, mae] = model.evaluate(x, ops::ones({4, 1}), kw::verbose = 0);
  EXPECT_NEAR(loss, mae * mae, 1e-5);
  try {
    name_two(HostLogs{{"loss", 1.0}, {"mae", 2.0}, {"mse", 3.0}});
    FAIL() << "three values have two names";
  } catch (const ValueError& error) {
    EXPECT_NE(string(error.what()).find("unpack<3>()"), string::npos) << error.what();
  }
}

TEST(FirstPrograms, ResultsAreUnpackedWhereTheirNumberFits) {
  const HostLogs logs{{"loss", 2.0}, {"mae", 1.0}};
  const auto [loss, mae] = logs.unpack<2>();
  EXPECT_EQ(loss, 2);
  EXPECT_EQ(mae, 1);
  EXPECT_THROW((void)logs.unpack<1>(), ValueError);
  EXPECT_THROW((void)logs.unpack<3>(), ValueError);
}

TEST(FirstPrograms, GradientsOfVariablesInBraces) {
  Variable w(ops::full({2, 1}, 3.0), {.name = "w"});
  Variable b(1.0);
  const Tensor x = {{1.0, 2.0}};
  GradientTape tape({.persistent = true});
  const Tensor loss = ops::sum(ops::matmul(x, w) + b * 2.0);
  auto [dw, db] = tape.gradient(loss, {w, b});
  EXPECT_EQ(dw.to_doubles(), (vector<double>{1, 2}));
  EXPECT_EQ(float(db), 2.0F);
  const auto [same, other] = tape.gradient(loss, {w, b}).unpack<2>();
  EXPECT_EQ(same.to_doubles(), dw.to_doubles());
  optimizers::SGD(0.5).apply(tape.gradient(loss, {w, b}), {w, b});
  EXPECT_EQ(float(b), 0.0F);
}

TEST(FirstPrograms, RangesWithADtype) {
  EXPECT_EQ(ops::arange(1, 4, {.dtype = "float32"}).to_doubles(), (vector<double>{1, 2, 3}));
}

TEST(FirstPrograms, PartsAreNamed) {
  const Tensor x = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  const auto [top, bottom] = ops::split(x, 2);
  EXPECT_EQ(bottom.to_doubles(), (vector<double>{4, 5, 6}));
  const auto [first, rest] = ops::split(x, {1}, {.axis = 1});  // [1] is an index, as in Python
  EXPECT_EQ(first.shape(), Shape({2, 1}));
  EXPECT_EQ(rest.shape(), Shape({2, 2}));
  EXPECT_EQ(ops::array_split(x, {1, 2}, 1).size(), 3U);
  const auto [a, b, c] = ops::unstack(x, 1).unpack<3>();
  EXPECT_EQ(c.to_doubles(), (vector<double>{3, 6}));
  const auto [xs, ys] = ops::meshgrid(ops::arange(2), ops::arange(3));
  EXPECT_EQ(ys.shape(), Shape({3, 2}));
  const auto name_two = [](const auto& parts) {
    const auto& [left, right] = parts;
    return pair(left, right);
  };
  EXPECT_THROW(name_two(ops::unstack(x, 1)), ValueError);
  const Tensors list = ops::split(x, 2);
  EXPECT_EQ(ops::concatenate(list).shape(), x.shape());
  EXPECT_EQ(ops::concatenate(ops::split(x, 2)).shape(), x.shape());
}

TEST(FirstPrograms, OpsTakeWhatTheyTakeInKeras) {
  const Tensor x = {{1.0, 2.0}, {3.0, 4.0}};
  EXPECT_EQ(ops::pad(x, 1).shape(), Shape({4, 4}));
  EXPECT_EQ(ops::pad(x, 1, {.constant_values = 5}).to_doubles()[0], 5);
  EXPECT_EQ(ops::pad(x, {{1, 0}, {0, 2}}).shape(), Shape({3, 4}));
  const Tensor scores = {{0.1, 0.9, 0.8}}, two = {2};
  EXPECT_TRUE(bool(ops::in_top_k(two, scores, {.k = 2})[0]));
  const auto add_one = [](const Tensor& v) { return v + 1.0; };
  const auto negate = [](const Tensor& v) { return -v; };
  EXPECT_EQ(float(ops::switch_(1, {add_one, negate}, Tensor(3.0))), -3);
  EXPECT_EQ(float(ops::switch_(0, {[] { return Tensor(1.0); }, [] { return Tensor(2.0); }})), 1);

  const Tensor logits = random::normal({1, 4, 3}, {.seed = 1});
  const Tensor length = {4}, labels = {{1, 1}};
  const auto [paths, log_p] =
      ops::ctc_decode(logits, length, {.strategy = "beam_search", .top_paths = 2});
  EXPECT_EQ(paths.shape()[0], 2);
  EXPECT_EQ(ops::ctc_decode(logits, length, {.strategy = "greedy"}).labels.shape()[0], 1);
  EXPECT_THROW(ops::ctc_decode(logits, length, {.strategy = "best"}), ValueError);
  EXPECT_EQ(ops::ctc_loss(labels, logits, two, length, {.mask_index = 2}).to_doubles(),
            ops::ctc_loss(labels, logits, two, length, 2).to_doubles());
}

TEST(FirstPrograms, JacobiansPerSample) {
  const Tensor x = {{1.0, 2.0}, {3.0, 4.0}};
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = ops::square(x);
  const Tensor jacobian = tape.batch_jacobian(y, x);
  EXPECT_EQ(jacobian.shape(), Shape({2, 2, 2}));
  EXPECT_EQ(jacobian.to_doubles(), (vector<double>{2, 0, 0, 4, 6, 0, 0, 8}));
  EXPECT_THROW(tape.batch_jacobian(ops::sum(y), x), ValueError);
}

}  // namespace
