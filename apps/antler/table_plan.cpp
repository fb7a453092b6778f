#include "table_plan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"

namespace antler::cli {
namespace {

constexpr size_t kMaxCategories = 100;
constexpr size_t kMaxNumberClasses = 30;

const io::CsvColumn& column_of(const io::CsvTable& table, const std::string& name) {
  const int64_t index = table.find(name);
  if (index >= 0) return table.columns[static_cast<size_t>(index)];
  std::string known;
  for (const io::CsvColumn& column : table.columns) {
    known += (known.empty() ? "" : ", ") + column.name;
  }
  throw ValueError("There is no column '" + name + "'. There are: " + known + ".");
}

std::vector<std::string> distinct(const std::vector<std::string>& texts) {
  const std::set<std::string> set(texts.begin(), texts.end());
  return {set.begin(), set.end()};
}

/// "0", "1", ... when the numbers are exactly some first whole numbers; none otherwise.
std::vector<std::string> number_classes(const std::vector<double>& numbers) {
  const std::set<double> set(numbers.begin(), numbers.end());
  if (set.size() < 2 || set.size() > kMaxNumberClasses) return {};
  std::vector<std::string> classes;
  for (const double number : set) {
    if (number != static_cast<double>(classes.size())) return {};
    classes.push_back(std::to_string(classes.size()));
  }
  return classes;
}

double mean_of(const io::CsvColumn& column) {
  double sum = 0;
  int64_t count = 0;
  for (const double x : column.numbers) {
    if (std::isnan(x)) continue;
    sum += x;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

[[noreturn]] void refuse_category(const std::string& column, const std::string& value) {
  throw ValueError("Column '" + column + "' has the value '" + value +
                   "', which the training data did not have.");
}

int64_t index_in(const std::vector<std::string>& sorted, const std::string& value) {
  const auto it = std::find(sorted.begin(), sorted.end(), value);
  return it == sorted.end() ? -1 : it - sorted.begin();
}

}  // namespace

TablePlan plan_table(const io::CsvTable& table, const std::string& target) {
  if (table.rows == 0 || table.columns.size() < 2) {
    throw ValueError("The table needs a header or rows, and at least two columns. It has " +
                     std::to_string(table.rows) + " rows and " +
                     std::to_string(table.columns.size()) + " columns.");
  }
  const bool texts = std::none_of(table.columns.begin(), table.columns.end(),
                                  [](const io::CsvColumn& column) { return column.is_number; });
  if (table.rows == 1 && texts) {
    throw ValueError("The table has one line, of texts alone: a header without rows?");
  }
  TablePlan plan;
  plan.target = target.empty() ? table.columns.back().name : target;
  const io::CsvColumn& label = column_of(table, plan.target);
  if (label.count_missing() > 0) {
    throw ValueError("The target column '" + label.name + "' misses " +
                     std::to_string(label.count_missing()) + " values.");
  }
  plan.classes = label.is_number ? number_classes(label.numbers) : distinct(label.texts);
  for (const io::CsvColumn& column : table.columns) {
    if (column.name == plan.target) continue;
    TablePlan::Feature feature{column.name, {}, 0};
    if (column.is_number) {
      feature.fill = mean_of(column);
    } else {
      feature.categories = distinct(column.texts);
      if (feature.categories.size() > kMaxCategories) {
        plan.left_out.push_back(
            column.name + ": left out, it has " + std::to_string(feature.categories.size()) +
            " different texts (a category has at most " + std::to_string(kMaxCategories) + ")");
        continue;
      }
    }
    plan.features.push_back(std::move(feature));
  }
  if (plan.features.empty()) {
    throw ValueError("There is no column to learn from. " + plan.left_out.front() + ".");
  }
  return plan;
}

int64_t TablePlan::width() const {
  int64_t sum = 0;
  for (const Feature& feature : features) sum += feature.width();
  return sum;
}

Tensor TablePlan::features_of(const io::CsvTable& table) const {
  const int64_t columns = width();
  Tensor x = Tensor::zeros(DType::float32, {table.rows, columns});
  float* out = x.mutable_data<float>();
  int64_t first = 0;
  for (const Feature& feature : features) {
    const io::CsvColumn& column = column_of(table, feature.name);
    if (feature.categories.empty() && !column.is_number) {
      throw ValueError("Column '" + feature.name +
                       "' has texts; in the training data it had numbers.");
    }
    for (int64_t row = 0; row < table.rows; ++row) {
      const auto r = static_cast<size_t>(row);
      if (feature.categories.empty()) {
        const double number = column.missing[r] ? feature.fill : column.numbers[r];
        out[row * columns + first] = static_cast<float>(number);
        continue;
      }
      // A category that looks like a number is written as the training data had it.
      const std::string text =
          column.is_number ? std::to_string(std::lround(column.numbers[r])) : column.texts[r];
      const int64_t category = index_in(feature.categories, text);
      if (category < 0) refuse_category(feature.name, text);
      out[row * columns + first + category] = 1;
    }
    first += feature.width();
  }
  return x;
}

Tensor TablePlan::target_of(const io::CsvTable& table) const {
  const io::CsvColumn& column = column_of(table, target);
  if (column.count_missing() > 0) {
    throw ValueError("The target column '" + target + "' misses " +
                     std::to_string(column.count_missing()) + " values.");
  }
  if (classes.empty()) {
    if (!column.is_number) {
      throw ValueError("The target column '" + target +
                       "' has texts; in the training data it had numbers.");
    }
    Tensor y = Tensor::empty(DType::float32, {table.rows, 1});
    std::transform(column.numbers.begin(), column.numbers.end(), y.mutable_data<float>(),
                   [](double number) { return static_cast<float>(number); });
    return y;
  }
  Tensor y = Tensor::empty(DType::int32, {table.rows});
  for (size_t row = 0; row < static_cast<size_t>(table.rows); ++row) {
    const std::string text =
        column.is_number ? std::to_string(std::lround(column.numbers[row])) : column.texts[row];
    const int64_t index = index_in(classes, text);
    if (index < 0) refuse_category(target, text);
    y.mutable_data<int32_t>()[row] = static_cast<int32_t>(index);
  }
  return y;
}

std::string TablePlan::describe() const {
  std::string text;
  for (const Feature& feature : features) {
    text +=
        "  " + feature.name + ": " +
        (feature.categories.empty() ? std::string("number")
                                    : "category of " + std::to_string(feature.categories.size())) +
        "\n";
  }
  for (const std::string& line : left_out) text += "  " + line + "\n";
  text += "  target " + target + ": " +
          (classes.empty() ? std::string("number") : std::to_string(classes.size()) + " classes") +
          "\n";
  return text;
}

Json TablePlan::to_json() const {
  Json list = Json::array();
  for (const Feature& feature : features) {
    list.push_back(
        {{"name", feature.name}, {"categories", feature.categories}, {"fill", feature.fill}});
  }
  return {{"kind", "table"}, {"features", list}, {"target", target}, {"classes", classes}};
}

TablePlan TablePlan::from_json(const Json& json) {
  TablePlan plan;
  for (const Json& feature : json.at("features")) {
    plan.features.push_back({feature.at("name").get<std::string>(),
                             feature.at("categories").get<std::vector<std::string>>(),
                             feature.at("fill").get<double>()});
  }
  plan.target = json.at("target").get<std::string>();
  plan.classes = json.at("classes").get<std::vector<std::string>>();
  return plan;
}

}  // namespace antler::cli
