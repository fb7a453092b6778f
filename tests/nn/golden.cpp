#include "nn/golden.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/io/npy.h"
#include "support/paths.h"

namespace antler::golden {

namespace {

Json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  return Json::parse(file);
}

double number(const Json& value) {
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  return value.get<double>();
}

/// {"dtype", "shape", "values"} of the packed form.
Tensor unpack(const Json& json) {
  const DType dtype = parse_dtype(json["dtype"].get<std::string>());
  const Tensor tensor = Tensor::empty(dtype, Shape(json["shape"].get<std::vector<int64_t>>()));
  const Json& values = json["values"];
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = number(values[i]);
    switch (dtype) {
      case DType::float32:
        tensor.mutable_data<float>()[i] = static_cast<float>(value);
        break;
      case DType::int32:
        tensor.mutable_data<int32_t>()[i] = static_cast<int32_t>(value);
        break;
      case DType::int64:
        tensor.mutable_data<int64_t>()[i] = static_cast<int64_t>(value);
        break;
      case DType::boolean:
        tensor.mutable_data<bool>()[i] = value != 0;
        break;
      default:
        throw std::runtime_error("packed arrays have no dtype " + std::string(dtype_name(dtype)));
    }
  }
  return tensor;
}

bool close(double got, double want, double rtol, double atol) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::abs(got - want) <= atol + rtol * std::abs(want);
}

}  // namespace

const Tensor& Case::array(const std::string& name) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) throw std::out_of_range(id + " has no array " + name);
  return found->second;
}

bool Case::expects(const std::string& name) const {
  const Json& names = json["expected_arrays"];
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Case> packed_cases(const std::string& kind) {
  const std::filesystem::path path = test::data_dir() / ("golden_" + kind + ".json");
  std::vector<Case> cases;
  const Json json = read_json(path);
  for (const Json& entry : json["cases"]) {
    Case c;
    c.id = entry["id"].get<std::string>();
    c.json = entry;
    for (const auto& [name, array] : entry["data"].items()) c.arrays[name] = unpack(array);
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<Case> shared_cases(const std::string& kind) {
  const std::filesystem::path root = test::shared_dir() / "golden" / kind;
  std::vector<Case> cases;
  if (!std::filesystem::is_directory(root)) return cases;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (!entry.is_directory()) continue;
    Case c;
    c.json = read_json(entry.path() / "case.json");
    c.id = c.json["id"].get<std::string>();
    for (auto& [name, tensor] : io::load_npz((entry.path() / "data.npz").string()))
      c.arrays[name] = tensor;
    cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.id < b.id; });
  return cases;
}

void expect_close(const Case& c, const std::string& name, const Tensor& got) {
  const Tensor& want = c.array(name);
  ASSERT_TRUE(got.defined()) << c.id << ": " << name << " is missing";
  ASSERT_EQ(got.shape().str(), want.shape().str()) << c.id << ": " << name;
  const double rtol = c.json["tolerance"]["rtol"].get<double>();
  const double atol = c.json["tolerance"]["atol"].get<double>();
  const std::vector<double> a = got.to_doubles();
  const std::vector<double> b = want.to_doubles();
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(close(a[i], b[i], rtol, atol))
        << c.id << ": " << name << "[" << i << "] is " << a[i] << ", expected " << b[i];
  }
}

size_t run_cases(const std::vector<Case>& cases, const Runner& runner) {
  size_t ran = 0;
  std::vector<std::string> skipped;
  for (const Case& c : cases) {
    try {
      if (runner(c)) {
        ++ran;
      } else {
        skipped.push_back(c.id);
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << c.id << ": " << error.what();
    }
  }
  std::cout << ran << " cases ran, " << skipped.size() << " skipped";
  for (const std::string& id : skipped) std::cout << "\n  not there: " << id;
  std::cout << std::endl;
  return ran;
}

}  // namespace antler::golden
