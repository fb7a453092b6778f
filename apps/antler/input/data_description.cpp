#include "input/data_description.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "common/dates.h"
#include "data/rows.h"
#include "input/folder_data.h"

namespace antler::cli {
namespace {

/// Statistics of the finite numbers, and the count of the others.
class NumberRange {
 public:
  void add(const std::vector<double>& numbers) {
    for (const double number : numbers) {
      if (!std::isfinite(number)) {
        ++not_finite_;
        continue;
      }
      least_ = count_ == 0 ? number : std::min(least_, number);
      most_ = count_ == 0 ? number : std::max(most_, number);
      sum_ += number;
      ++count_;
    }
  }
  int64_t not_finite() const { return not_finite_; }
  /// "min", "max" and "mean"; empty if there are no finite numbers.
  Json to_json() const {
    if (count_ == 0) return Json::object();
    return {{"min", least_}, {"max", most_}, {"mean", sum_ / static_cast<double>(count_)}};
  }

 private:
  double least_ = 0;
  double most_ = 0;
  double sum_ = 0;
  int64_t count_ = 0;
  int64_t not_finite_ = 0;
};

Json range_of(const std::vector<double>& numbers) {
  NumberRange range;
  range.add(numbers);
  return range.to_json();
}

/// Converts a part of the rows at a time: as doubles, a data set of bytes would take eight times
/// its size.
NumberRange range_of(const Tensor& array) {
  constexpr int64_t kElements = 1 << 20;
  NumberRange range;
  if (array.rank() == 0) {
    range.add(array.to_doubles());
    return range;
  }
  const int64_t count = array.shape()[0];
  const int64_t width = array.size() / std::max<int64_t>(count, 1);
  const int64_t step = std::max<int64_t>(1, kElements / std::max<int64_t>(width, 1));
  for (int64_t row = 0; row < count; row += step)
    range.add(data::rows_of(array, row, std::min(step, count - row)).to_doubles());
  return range;
}

using Counts = std::map<std::string, int64_t>;

/// "min" and "max" of dates. Compares the dates, not their texts: a column may mix formats.
Json dates_of(const Counts& counts) {
  const auto [least, most] = std::minmax_element(
      counts.begin(), counts.end(),
      [](const auto& a, const auto& b) { return *days_of_date(a.first) < *days_of_date(b.first); });
  return {{"min", least->first}, {"max", most->first}};
}

/// "most_common" and "most_common_count".
Json most_common(const Counts& counts) {
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return {{"most_common", most->first}, {"most_common_count", most->second}};
}

Json describe_column(const io::CsvColumn& column, const DataPlan& plan) {
  const bool date = is_date_column(column);
  const int64_t missing = column.count_missing();
  const char* kind = missing == std::ssize(column.missing) ? "empty"
                     : column.is_number                    ? "number"
                     : date                                ? "date"
                                                           : "text";
  Json json = {{"name", column.name}, {"kind", kind}, {"missing", missing}};
  if (column.is_number) {
    std::set<double> distinct;
    for (size_t row = 0; row < column.numbers.size(); ++row) {
      if (!column.missing[row]) distinct.insert(column.numbers[row]);
    }
    json["distinct"] = distinct.size();
    json.update(range_of(column.numbers));
  } else {
    Counts counts;
    for (size_t row = 0; row < column.strings.size(); ++row) {
      if (!column.missing[row]) ++counts[column.strings[row]];
    }
    json["distinct"] = counts.size();
    if (!counts.empty()) json.update(date ? dates_of(counts) : most_common(counts));
  }
  if (plan.table) json["use"] = plan.table->use_of(column.name);
  return json;
}

Json table_row(const io::CsvTable& table, size_t row) {
  Json json = Json::array();
  for (const io::CsvColumn& column : table.columns) {
    if (column.missing[row]) {
      json.push_back(nullptr);
    } else if (column.is_number) {
      json.push_back(column.numbers[row]);
    } else {
      json.push_back(column.strings[row]);
    }
  }
  return json;
}

void describe_array(const std::string& name, const Tensor& array, Json& arrays) {
  if (!array.defined()) return;
  Json json = {{"name", name},
               {"dtype", dtype_name(array.dtype())},
               {"shape", std::vector<int64_t>(array.shape().begin(), array.shape().end())}};
  const NumberRange range = range_of(array);
  json.update(range.to_json());
  if (range.not_finite() > 0) json["not_finite"] = range.not_finite();
  arrays.push_back(std::move(json));
}

/// The classes with their counts, by label.
Json class_counts(const std::vector<int64_t>& labels, const std::vector<std::string>& names) {
  std::vector<int64_t> counts(names.size());
  for (const int64_t label : labels) {
    if (label >= std::ssize(counts)) counts.resize(static_cast<size_t>(label) + 1);
    ++counts[static_cast<size_t>(label)];
  }
  Json classes = Json::array();
  for (size_t i = 0; i < counts.size(); ++i) {
    classes.push_back(
        {{"label", i < names.size() ? names[i] : std::to_string(i)}, {"count", counts[i]}});
  }
  return classes;
}

/// The targets; null if there are none.
Json describe_target(const LoadedData& data) {
  const std::vector<std::string> names = data.plan.classes();
  if (data.samples.batches || !data.samples.y.defined()) {
    if (data.samples.labels.empty()) return nullptr;
    return {{"task", "classification"}, {"classes", class_counts(data.samples.labels, names)}};
  }
  const Tensor& y = data.samples.y;
  const std::vector<double> numbers = y.to_doubles();
  const bool negative =
      std::any_of(numbers.begin(), numbers.end(), [](double number) { return number < 0; });
  const bool one_each = y.size() == y.shape()[0];
  if (is_floating(y.dtype()) || negative || !one_each) {
    Json json = {{"task", "regression"}};
    json.update(range_of(numbers));
    return json;
  }
  return {{"task", "classification"},
          {"classes", class_counts(std::vector<int64_t>(numbers.begin(), numbers.end()), names)}};
}

/// The first values of the first samples.
Json array_examples(const Tensor& x, int64_t examples) {
  constexpr int64_t kValues = 8;
  constexpr int64_t kLargest = 64;  // a few pixels of an image say nothing
  Json rows = Json::array();
  if (!x.defined() || x.rank() == 0 || x.shape()[0] == 0) return rows;
  const int64_t width = x.size() / x.shape()[0];
  if (x.rank() > 2 && width > kLargest) return rows;
  const int64_t count = std::min(examples, x.shape()[0]);
  const std::vector<double> numbers = data::rows_of(x, 0, count).to_doubles();
  for (int64_t row = 0; row < count; ++row) {
    const auto first = numbers.begin() + row * width;
    rows.push_back(std::vector<double>(first, first + std::min(width, kValues)));
  }
  return rows;
}

/// Loads the data as for training or, if it has no targets, as for predictions.
LoadedData load_what_there_is(const DataArguments& arguments, io::CsvTable& table,
                              std::string& problem) {
  DataOptions options;
  arguments.apply_to(options);
  options.seen_table = &table;
  try {
    return load_data(arguments.path, options);
  } catch (const ValueError& error) {
    problem = error.what();
  }
  if (table.rows > 0) return {};
  options.needs_y = false;
  try {
    return load_data(arguments.path, options);
  } catch (const ValueError&) {
    if (table.rows > 0) return {};
    throw;
  }
}

Json describe_table(const io::CsvTable& table, const DataPlan& plan, int64_t examples) {
  Json json = {{"columns", Json::array()}, {"examples", Json::array()}};
  for (const io::CsvColumn& column : table.columns) {
    json["columns"].push_back(describe_column(column, plan));
  }
  for (int64_t row = 0; row < std::min(examples, table.rows); ++row) {
    json["examples"].push_back(table_row(table, static_cast<size_t>(row)));
  }
  return json;
}

}  // namespace

Json describe_data(const DataArguments& arguments, int64_t examples) {
  const std::string& path = arguments.path;
  Json json = {{"data", path}};
  io::CsvTable table;
  std::string problem;
  LoadedData data;
  try {
    data = load_what_there_is(arguments, table, problem);
  } catch (const ValueError& error) {
    // The names of the arrays do not say which are inputs and targets: describes all arrays.
    if (!path.ends_with(".npz")) throw;
    data.format = "NumPy arrays";
    problem = error.what();
  }
  json["format"] = table.rows > 0 && data.format.empty() ? "table" : data.format;
  const Samples& samples = data.samples;
  json["samples"] = samples.given() ? samples.count() : table.rows;
  if (data.held_out.given()) json["held_out"] = data.held_out.count();
  if (table.rows > 0) json.update(describe_table(table, data.plan, examples));
  Json arrays = Json::array();
  if (samples.given() || !path.ends_with(".npz")) {
    describe_array("x", samples.x, arrays);
    describe_array("y", samples.y, arrays);
    describe_array("held out x", data.held_out.x, arrays);
    describe_array("held out y", data.held_out.y, arrays);
  } else {
    for (const auto& [name, array] : io::load_npz(path)) describe_array(name, array, arrays);
  }
  if (!arrays.empty()) json["arrays"] = std::move(arrays);
  if (Json target = describe_target(data); !target.is_null()) {
    if (data.plan.table) target["name"] = data.plan.table->target;
    if (data.plan.records) target["name"] = data.plan.records->target;
    json["target"] = std::move(target);
  }
  if (!samples.files.empty()) {
    json["files"] = describe_files(path);
    const auto shown = samples.files.begin() + std::min(examples, std::ssize(samples.files));
    json["examples"] = std::vector<std::string>(samples.files.begin(), shown);
  } else if (!json.contains("examples")) {
    json["examples"] = array_examples(samples.x, examples);
  }
  if (!problem.empty()) json["problem"] = problem;
  return json;
}

}  // namespace antler::cli
