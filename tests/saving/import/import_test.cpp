// Nodes of TensorFlow graphs, one by one, against results worked out by hand; whole graphs that
// TensorFlow wrote are cases of the conformance runner.
#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "saving/import/tf_call.h"
#include "saving/import/tf_interpreter.h"

namespace antler::saving {
namespace {

using Ints = std::vector<int64_t>;
using io::TfAttribute;
using io::TfNode;

TfAttribute integer(int64_t value) {
  TfAttribute attribute;
  attribute.integer = value;
  return attribute;
}

TfAttribute text(const std::string& value) {
  TfAttribute attribute;
  attribute.string = value;
  return attribute;
}

TfAttribute list(const Ints& values) {
  TfAttribute attribute;
  attribute.integers = values;
  return attribute;
}

TfAttribute function(const std::string& name) {
  TfAttribute attribute;
  attribute.function = name;
  return attribute;
}

Tensors run(const char* op, const Tensors& inputs,
            const std::map<std::string, TfAttribute>& attributes = {}) {
  const TfNode node{"node", op, {}, attributes};
  const TfOp found = find_tf_op(op);
  EXPECT_NE(found, nullptr) << op;
  return found(TfCall(node, inputs));
}

void expect(const Tensor& actual, const Shape& shape, const std::vector<double>& values) {
  EXPECT_EQ(actual.shape(), shape);
  EXPECT_EQ(actual.to_doubles(), values);
}

Tensor counted(const Shape& shape) {
  return ops::reshape(ops::arange(0, shape.num_elements(), 1, {.dtype = DType::float32}), shape);
}

Tensor ints(const Ints& values) { return Tensor::of(values); }

TEST(TfStridedSlice, FollowsItsMasks) {
  const Tensor x = counted({3, 4});
  // x[::-1, 1]
  expect(run("StridedSlice", {x, ints({0, 1}), ints({0, 2}), ints({-1, 1})},
             {{"begin_mask", integer(1)},
              {"end_mask", integer(1)},
              {"shrink_axis_mask", integer(2)}})[0],
         {3}, {9, 5, 1});
  // x[..., 3:0:-2]
  expect(run("StridedSlice", {x, ints({0, 3}), ints({0, 0}), ints({1, -2})},
             {{"ellipsis_mask", integer(1)}})[0],
         {3, 2}, {3, 1, 7, 5, 11, 9});
  // x[None, -1]
  expect(run("StridedSlice", {x, ints({0, -1}), ints({0, 0}), ints({1, 1})},
             {{"new_axis_mask", integer(1)}, {"shrink_axis_mask", integer(2)}})[0],
         {1, 4}, {8, 9, 10, 11});
  // x[1:100, :-3]
  expect(run("StridedSlice", {x, ints({1, 0}), ints({100, -3}), ints({1, 1})})[0], {2, 1}, {4, 8});
  EXPECT_THROW(
      run("StridedSlice", {x, ints({5}), ints({6}), ints({1})}, {{"shrink_axis_mask", integer(1)}}),
      NotImplementedError);
}

TEST(TfMovement, OpensSizes) {
  const Tensor x = counted({2, 6});
  EXPECT_EQ(run("Reshape", {x, ints({-1, 3})})[0].shape(), (Shape{4, 3}));
  const Tensors parts = run("SplitV", {x, ints({1, -1, 2}), Tensor(1)});
  ASSERT_EQ(parts.size(), 3U);
  expect(parts[1], {2, 3}, {1, 2, 3, 7, 8, 9});
  EXPECT_EQ(run("Squeeze", {counted({1, 2, 1})}, {{"squeeze_dims", list({-1})}})[0].shape(),
            (Shape{1, 2}));
  EXPECT_EQ(run("Squeeze", {counted({1, 2, 1})})[0].shape(), (Shape{2}));
  expect(run("Slice", {x, ints({0, 4}), ints({-1, 2})})[0], {2, 2}, {4, 5, 10, 11});
}

TEST(TfMovement, PadsAsInAMirror) {
  const Tensor x = Tensor::of(std::vector<float>{1, 2, 3});
  const Tensor pads = Tensor::of(Ints{2, 1}, {1, 2});
  expect(run("MirrorPad", {x, pads}, {{"mode", text("REFLECT")}})[0], {6}, {3, 2, 1, 2, 3, 2});
  expect(run("MirrorPad", {x, pads}, {{"mode", text("SYMMETRIC")}})[0], {6}, {2, 1, 1, 2, 3, 3});
  EXPECT_THROW(run("MirrorPad", {x, Tensor::of(Ints{3, 0}, {1, 2})}), NotImplementedError);
}

TEST(TfMovement, TakesSpaceIntoTheBatchAndBack) {
  const Tensor x = counted({1, 4, 2});
  const Tensor batches = run("SpaceToBatchND", {x, ints({2}), Tensor::of(Ints{0, 0}, {1, 2})})[0];
  expect(batches, {2, 2, 2}, {0, 1, 4, 5, 2, 3, 6, 7});
  expect(run("BatchToSpaceND", {batches, ints({2}), Tensor::of(Ints{1, 0}, {1, 2})})[0], {1, 3, 2},
         {2, 3, 4, 5, 6, 7});
}

TEST(TfIndexing, GathersPerEntryOfTheBatch) {
  const Tensor x = counted({2, 3});
  const Tensor indices = Tensor::of(Ints{2, 0, 1, 1}, {2, 2});
  expect(run("GatherV2", {x, indices, Tensor(1)}, {{"batch_dims", integer(1)}})[0], {2, 2},
         {2, 0, 4, 4});
  expect(run("GatherV2", {x, ints({2}), Tensor(1)})[0], {2, 1}, {2, 5});
  expect(run("OneHot", {ints({1, 5}), Tensor(3), Tensor(7.F), Tensor(-1.F)})[0], {2, 3},
         {-1, 7, -1, -1, -1, -1});
}

TEST(TfElementwise, DividesIntegersAsInC) {
  const Tensor x = ints({-7, 7});
  const Tensor y = ints({2, -2});
  expect(run("TruncateDiv", {x, y})[0], {2}, {-3, -3});
  expect(run("FloorDiv", {x, y})[0], {2}, {-4, -4});
  expect(run("TruncateMod", {x, y})[0], {2}, {-1, 1});
  expect(run("MulNoNan", {Tensor::of(std::vector<float>{1.F / 0.F, 3}),
                          Tensor::of(std::vector<float>{0, 2})})[0],
         {2}, {0, 6});
}

TEST(TfReductions, NoAxesReduceNothing) {
  const Tensor x = counted({2, 2});
  expect(run("Sum", {x, Tensor::zeros(DType::int64, {0})})[0], {2, 2}, {0, 1, 2, 3});
  expect(run("Mean", {x, ints({-1})})[0], {2}, {0.5, 2.5});
}

TEST(TfWindows, ATransposedConvolutionIsTheGradient) {
  // One row of ones through strides of 2: what each place of the input gave.
  const Tensor y = Tensor::of(std::vector<float>{1, 10}, {1, 1, 2, 1});
  const Tensor kernel = Tensor::of(std::vector<float>{1, 2, 3}, {1, 3, 1, 1});
  const Tensor x = run("Conv2DBackpropInput", {ints({1, 1, 4, 1}), kernel, y},
                       {{"strides", list({1, 1, 2, 1})}, {"padding", text("SAME")}})[0];
  expect(x, {1, 1, 4, 1}, {1, 2, 13, 20});
}

/// while (i < n) { i += 1; x = x * 2; } over (i, x).
io::TfSavedModel doubling(int64_t steps) {
  const auto constant = [](const char* name, int64_t value) {
    TfAttribute attribute;
    attribute.tensor = Tensor::full(DType::int32, {}, static_cast<double>(value));
    return TfNode{name, "Const", {}, {{"value", attribute}}};
  };
  io::TfSavedModel model;
  model.functions["cond"] = {
      {"i", "x"}, {"less:z:0"}, {constant("n", steps), {"less", "Less", {"i", "n:output:0"}, {}}}};
  model.functions["body"] = {{"i", "x"},
                             {"next:z:0", "twice:z:0"},
                             {constant("one", 1),
                              {"next", "AddV2", {"i", "one:output:0"}, {}},
                              {"twice", "AddV2", {"x", "x"}, {}}}};
  model.functions["main"] = {{"x"},
                             {"loop:output:1"},
                             {constant("zero", 0),
                              {"loop",
                               "StatelessWhile",
                               {"zero:output:0", "x"},
                               {{"cond", function("cond")}, {"body", function("body")}}}}};
  return model;
}

const TfVariableSource kNoVariables = {
    .read = [](int64_t) { return Tensor(); },
    .find = [](const std::string&) { return TfValue::kForeign; }};

TEST(TfInterpreter, UnrollsLoops) {
  const io::TfSavedModel model = doubling(5);
  TfInterpreter interpreter(model, kNoVariables);
  const TfValues result =
      interpreter.call("main", {TfValue::of(Tensor::full(DType::float32, {}, 3))});
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].tensor.item(), 96);
}

TEST(TfInterpreter, StopsWhatHasNoEnd) {
  io::TfSavedModel model = doubling(5);
  model.functions["body"].results[0] = "i";  // never counts
  TfInterpreter endless(model, kNoVariables, /*max_steps=*/1000);
  const TfValues one = {TfValue::of(Tensor(1.F))};
  EXPECT_THROW(endless.call("main", one), NotImplementedError);

  model.functions["self"] = {
      {"x"}, {"again:output:0"}, {{"again", "PartitionedCall", {"x"}, {{"f", function("self")}}}}};
  TfInterpreter recursive(model, kNoVariables);
  EXPECT_THROW(recursive.call("self", one), IOError);

  model.functions["round"] = {
      {"x"}, {"a:z:0"}, {{"a", "AddV2", {"b:z:0", "x"}, {}}, {"b", "Neg", {"a:z:0"}, {}}}};
  TfInterpreter circular(model, kNoVariables);
  EXPECT_THROW(circular.call("round", one), NotImplementedError);
}

TEST(TfInterpreter, NamesWhatItDoesNotHave) {
  io::TfSavedModel model;
  model.functions["main"] = {{"x"}, {"h:output:0"}, {{"h", "XlaCallModule", {"x"}, {}}}};
  TfInterpreter interpreter(model, kNoVariables);
  try {
    interpreter.call("main", {TfValue::of(Tensor(1.F))});
    FAIL();
  } catch (const NotImplementedError& error) {
    EXPECT_NE(std::string(error.what()).find("XlaCallModule"), std::string::npos) << error.what();
  }
  model.functions["main"].results[0] = "nothing:output:0";
  EXPECT_THROW(interpreter.call("main", {TfValue::of(Tensor(1.F))}), IOError);
}

}  // namespace
}  // namespace antler::saving
