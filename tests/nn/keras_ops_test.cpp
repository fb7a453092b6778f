// Operations of keras.ops: figures in tests/data/ops_calls.json, made by tools/ops_calls.py.
#include <cmath>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/nn/registry.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/keras_op.h"
#include "support/op_harness.h"
#include "support/paths.h"

namespace antler {
namespace {

double number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return value == "Infinity" ? infinity : -infinity;
}

std::vector<double> values_of(const Json& array) {
  std::vector<double> values;
  for (const Json& value : array.at("values")) values.push_back(number_of(value));
  return values;
}

Shape shape_of(const Json& array) { return Shape(array.at("shape").get<std::vector<int64_t>>()); }

Nest nest_of(const Json& argument) {
  if (argument.is_object()) {
    const DType dtype = parse_dtype(argument.at("dtype").get<std::string>());
    return test::tensor_of(dtype, shape_of(argument), values_of(argument));
  }
  std::vector<Nest> list;
  for (const Json& item : argument) list.push_back(nest_of(item));
  return list;
}

std::string title_of(const Json& row) {
  return row.at("class_name").get<std::string>() + " " + row.at("config").dump() + " of " +
         row.at("arguments").dump().substr(0, 200);
}

void check_results(const Json& row, const Tensors& actual) {
  const Json& expected = row.at("results");
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    EXPECT_EQ(actual[i].shape().str(), shape_of(expected[i]).str());
    EXPECT_EQ(dtype_name(actual[i].dtype()), expected[i].at("dtype").get<std::string>());
    const Tensor value = row.value("absolute", false) ? ops::absolute(actual[i]) : actual[i];
    std::vector<double> values = values_of(expected[i]);
    if (row.value("absolute", false)) {
      for (double& v : values) v = std::abs(v);
    }
    test::expect_close(value, values, row.value("tolerance", -1.0));
  }
}

/// Gradients by the floating arguments, where there are any, and a floating result.
void check_row_gradients(const Json& row, LayerPtr op, const Nest& arguments,
                         const Tensors& results) {
  Tensors leaves;
  for (const Tensor& t : arguments.flatten()) {
    if (is_floating(t.dtype())) leaves.push_back(t);
  }
  if (!row.value("smooth", true) || leaves.empty() || !is_floating(results[0].dtype())) return;
  test::check_gradients(
      [&](const Tensors& xs) {
        Tensors all = arguments.flatten();
        size_t next = 0;
        for (Tensor& t : all) {
          if (is_floating(t.dtype())) t = xs[next++];
        }
        Tensors out;
        for (const Tensor& t : op->call(arguments.pack(all), CallOptions()).flatten()) {
          if (is_floating(t.dtype())) out.push_back(t);
        }
        return out;
      },
      leaves, false);
}

void check_module(const std::string& module) {
  std::ifstream file(test::data_dir() / "ops_calls.json");
  const Json data = Json::parse(file);
  int checked = 0;
  for (const Json& row : data.at("cases")) {
    if (row.at("module") != "keras.src.ops." + module) continue;
    SCOPED_TRACE(title_of(row));
    ++checked;
    try {
      const LayerPtr op = deserialize_layer(row);
      EXPECT_EQ(keras_op_module(row.at("class_name").get<std::string>()),
                row.at("module").get<std::string>());
      const Nest arguments = nest_of(row.at("arguments"));
      const Tensors results = op->call(arguments, CallOptions()).flatten();
      check_results(row, results);
      check_row_gradients(row, op, arguments, results);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(KerasOps, OfNumpy) { check_module("numpy"); }
TEST(KerasOps, OfMath) { check_module("math"); }
TEST(KerasOps, OfLinearAlgebra) { check_module("linalg"); }
TEST(KerasOps, OfNeuralNetworks) { check_module("nn"); }
TEST(KerasOps, OfImages) { check_module("image"); }
TEST(KerasOps, OfCore) { check_module("core"); }

}  // namespace
}  // namespace antler
