#include "evaluation/predictions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "antler/base/file.h"
#include "io/csv_field.h"

namespace antler::cli {
std::vector<std::string> read_labels(const std::string& path) {
  std::vector<std::string> labels;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) labels.push_back(line);
  }
  return labels;
}

std::string Predictions::label(int64_t column) const {
  const auto i = static_cast<size_t>(column);
  return i < labels.size() ? labels[i] : std::to_string(column);
}

std::vector<int64_t> Predictions::order(const double* row) const {
  std::vector<int64_t> order(static_cast<size_t>(columns()));
  std::iota(order.begin(), order.end(), 0);
  if (top_k == 0) return order;
  const auto key = [&](int64_t i) { return std::isnan(row[i]) ? -INFINITY : row[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return key(a) > key(b); });
  order.resize(static_cast<size_t>(std::min(top_k, columns())));
  return order;
}

std::string Predictions::to_csv() const {
  std::vector<std::string> header;
  if (!files.empty()) header.emplace_back("file");
  for (int64_t c = 0; c < std::min(top_k > 0 ? top_k : columns(), columns()); ++c) {
    if (top_k > 0) {
      header.push_back(fmt::format("class_{0},value_{0}", c + 1));
    } else {
      header.push_back(io::csv_field(labels.empty() ? fmt::format("output_{}", c) : label(c)));
    }
  }
  std::string text = fmt::format("{}\n", fmt::join(header, ","));
  const std::vector<double> values = outputs.to_doubles();
  for (int64_t r = 0; r < rows(); ++r) {
    const double* row = values.data() + r * columns();
    std::vector<std::string> fields;
    if (!files.empty()) fields.push_back(io::csv_field(files[static_cast<size_t>(r)]));
    for (const int64_t c : order(row)) {
      if (top_k > 0) fields.push_back(io::csv_field(label(c)));
      // As many digits as the value needs to be read back unchanged.
      fields.push_back(outputs.dtype() == DType::float64
                           ? fmt::format("{}", row[c])
                           : fmt::format("{}", static_cast<float>(row[c])));
    }
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

Json Predictions::to_json() const {
  Json list = Json::array();
  const std::vector<double> values = outputs.to_doubles();
  for (int64_t r = 0; r < rows(); ++r) {
    const double* row = values.data() + r * columns();
    Json sample = Json::object();
    if (!files.empty()) sample["file"] = files[static_cast<size_t>(r)];
    Json& parts = sample[top_k > 0 ? "classes" : "values"] = Json::array();
    for (const int64_t c : order(row)) {
      if (top_k > 0) {
        parts.push_back({{"label", label(c)}, {"value", row[c]}});
      } else {
        parts.push_back(row[c]);
      }
    }
    list.push_back(std::move(sample));
  }
  return list;
}

}  // namespace antler::cli
