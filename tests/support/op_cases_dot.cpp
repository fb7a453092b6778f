#include <algorithm>
#include <map>

#include "support/op_cases.h"
#include "support/op_cases_matrix.h"

namespace antler::test {
namespace {

using ir::Ints;

/// Einstein summation over named indices, one letter per dimension: "bij,bjk->bik".
std::vector<double> einsum(const std::string& x_names, const std::string& y_names,
                           const std::string& out_names, const Tensor& x, const Tensor& y) {
  std::map<char, int64_t> sizes;
  for (size_t d = 0; d < x_names.size(); ++d) sizes[x_names[d]] = x.shape()[static_cast<int>(d)];
  for (size_t d = 0; d < y_names.size(); ++d) sizes[y_names[d]] = y.shape()[static_cast<int>(d)];
  const auto offset = [&](const std::string& names, std::map<char, int64_t>& at) {
    int64_t result = 0;
    for (char c : names) result = result * sizes[c] + at[c];
    return static_cast<size_t>(result);
  };
  int64_t points = 1;
  int64_t results = 1;
  for (const auto& [name, size] : sizes) points *= size;
  for (char c : out_names) results *= sizes[c];
  const auto xs = x.to_doubles();
  const auto ys = y.to_doubles();
  std::vector<double> out(static_cast<size_t>(results), 0);
  for (int64_t p = 0; p < points; ++p) {
    std::map<char, int64_t> at;
    int64_t rest = p;
    for (const auto& [name, size] : sizes) {
      at[name] = rest % size;
      rest /= size;
    }
    out[offset(out_names, at)] += xs[offset(x_names, at)] * ys[offset(y_names, at)];
  }
  return out;
}

}  // namespace

OpCases dot_cases() {
  OpCases cases;
  const std::map<char, int64_t> sizes = {{'a', 2}, {'b', 3}, {'i', 7}, {'j', 5},
                                         {'k', 4}, {'l', 3}, {'u', 1}, {'z', 0}};
  const auto add = [&](DType dtype, const std::string& x_names, const std::string& y_names,
                       const std::string& batch, const std::string& contract) {
    Ints dims[4];
    const auto place = [](const std::string& names, char c) {
      return static_cast<int64_t>(names.find(c));
    };
    for (char c : contract) {
      dims[0].push_back(place(x_names, c));
      dims[1].push_back(place(y_names, c));
    }
    for (char c : batch) {
      dims[2].push_back(place(x_names, c));
      dims[3].push_back(place(y_names, c));
    }
    std::string out = batch;
    for (const std::string& names : {x_names, y_names}) {
      for (char c : names) {
        if ((batch + contract).find(c) == std::string::npos) out += c;
      }
    }
    const auto shape = [&](const std::string& names) {
      Shape s;
      for (char c : names) s.push_back(sizes.at(c));
      return s;
    };
    OpCase c{.op = "dot_general",
             .name = x_names + "," + y_names + "->" + out + " " + dtype_name(dtype)};
    const double low = is_unsigned_integer(dtype) ? 0 : -3;
    c.inputs = {random_tensor(dtype, shape(x_names), low, 3, 1),
                random_tensor(dtype, shape(y_names), low, 3, 2)};
    c.attrs = {{"lhs_contract", dims[0]},
               {"rhs_contract", dims[1]},
               {"lhs_batch", dims[2]},
               {"rhs_batch", dims[3]}};
    c.expected = {einsum(x_names, y_names, out, c.inputs[0], c.inputs[1])};
    if (dtype == DType::float32) c.tolerance = 1e-5;
    cases.push_back(std::move(c));
  };
  for (DType dtype :
       {DType::float32, DType::float64, DType::bfloat16, DType::int32, DType::uint8}) {
    add(dtype, "ij", "jk", "", "j");
  }
  add(DType::float32, "i", "i", "", "i");
  add(DType::float32, "i", "k", "", "");
  add(DType::float32, "ij", "j", "", "j");
  add(DType::float32, "ji", "kj", "", "j");
  add(DType::float32, "aij", "ajk", "a", "j");
  add(DType::float32, "aibj", "kjba", "ab", "j");
  add(DType::float32, "iaj", "kaj", "a", "j");
  add(DType::float32, "ijk", "kjl", "", "jk");
  add(DType::float32, "ijk", "kjl", "", "kj");
  add(DType::float32, "bij", "abj", "b", "j");
  add(DType::float32, "iu", "uk", "", "u");
  add(DType::float32, "ui", "ki", "", "i");
  add(DType::float32, "iz", "zk", "", "z");
  add(DType::float32, "zj", "jk", "", "j");
  add(DType::float32, "zij", "zjk", "z", "j");
  for (OpCase& c : matrix_cases()) cases.push_back(std::move(c));
  return cases;
}

}  // namespace antler::test
