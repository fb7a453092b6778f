#include "table_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "dates.h"

namespace antler::cli {
namespace {

constexpr size_t kMaxCategories = 100;
constexpr size_t kMaxNumberClasses = 30;

const io::CsvColumn& column_of(const io::CsvTable& table, const std::string& name) {
  std::string known;
  const io::CsvColumn* found = nullptr;
  for (const io::CsvColumn& column : table.columns) {
    known += (known.empty() ? "" : ", ") + column.name;
    if (column.name != name) continue;
    if (found != nullptr) {
      throw ValueError("Two columns are called '" + name + "': give one of them another name.");
    }
    found = &column;
  }
  if (found == nullptr) {
    throw ValueError("There is no column '" + name + "'. There are: " + known + ".");
  }
  return *found;
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

/// Whether the values that are there are all dates.
bool is_dates(const io::CsvColumn& column) {
  if (column.is_number) return false;
  for (size_t row = 0; row < column.texts.size(); ++row) {
    if (!column.missing[row] && !days_of_date(column.texts[row])) return false;
  }
  return true;
}

[[noreturn]] void refuse_value(const std::string& column, size_t row, const std::string& value,
                               const char* why) {
  throw ValueError(fmt::format("Column '{}' has {} in row {}, {}.", column,
                               value.empty() ? "no value" : "the value '" + value + "'", row + 1,
                               why));
}

/// Of a column of numbers or dates. Throws ValueError for what is not finite as a float.
float number_at(const io::CsvColumn& column, const TablePlan::Feature& feature, size_t row) {
  double number = feature.fill;
  if (!column.missing[row]) {
    if (column.is_number) {
      number = column.numbers[row];
    } else if (const auto days = days_of_date(column.texts[row]); feature.is_date && days) {
      number = *days;
    } else {
      refuse_value(column.name, row, column.texts[row],
                   feature.is_date ? "which is no date as in the training data"
                                   : "in the training data it had numbers");
    }
  }
  if (!(std::abs(number) <= std::numeric_limits<float>::max())) {
    refuse_value(column.name, row, fmt::format("{}", number), "which is beyond float32");
  }
  return static_cast<float>(number);
}

/// A number that is a category is written as the training data had it.
std::string text_at(const io::CsvColumn& column, size_t row) {
  if (column.missing[row]) return "";
  if (!column.is_number) return column.texts[row];
  return fmt::format("{}", column.numbers[row]);
}

double mean_of(const io::CsvColumn& column, const TablePlan::Feature& feature) {
  double sum = 0;
  int64_t count = 0;
  for (size_t row = 0; row < column.missing.size(); ++row) {
    if (column.missing[row]) continue;
    sum += static_cast<double>(number_at(column, feature, row));
    ++count;
  }
  return sum / static_cast<double>(count);
}

/// Places of texts in a list.
class Places {
 public:
  explicit Places(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) places_.emplace(text, std::ssize(places_));
  }
  /// Of the value of a column in a row.
  int64_t of(const io::CsvColumn& column, size_t row) const {
    const std::string text = text_at(column, row);
    const auto it = places_.find(text);
    if (it == places_.end()) {
      refuse_value(column.name, row, text, "which the training data did not have");
    }
    return it->second;
  }

 private:
  std::unordered_map<std::string, int64_t> places_;
};

/// Throws ValueError for a target from which no classifier can learn.
void check_classes(const io::CsvColumn& label, const std::vector<std::string>& classes) {
  const size_t rows = label.missing.size();
  if (classes.size() == 1) {
    throw ValueError("The target column '" + label.name + "' has the value '" + classes[0] +
                     "' in all rows: there is nothing to tell apart.");
  }
  if (classes.size() > kMaxCategories && classes.size() > rows / 2) {
    throw ValueError(fmt::format(
        "The target column '{}' has {} different texts in {} rows, too few rows of each. --target "
        "names another column.",
        label.name, classes.size(), rows));
  }
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
  check_classes(label, plan.classes);
  for (const io::CsvColumn& column : table.columns) {
    if (column.name == plan.target) continue;
    column_of(table, column.name);
    TablePlan::Feature feature{column.name, {}, is_dates(column), 0};
    if (column.count_missing() == table.rows) {
      plan.left_out.push_back(column.name + ": left out, it has no values");
      continue;
    }
    if (column.is_number || feature.is_date) {
      feature.fill = mean_of(column, feature);
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
  for (const Feature& feature : features) {
    const io::CsvColumn& column = column_of(table, feature.name);
    const Places categories(feature.categories);
    for (int64_t row = 0; row < table.rows; ++row) {
      const auto r = static_cast<size_t>(row);
      if (feature.categories.empty()) {
        out[row * columns] = number_at(column, feature, r);
      } else {
        out[row * columns + categories.of(column, r)] = 1;
      }
    }
    out += feature.width();
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
    const Feature number{.name = target};
    Tensor y = Tensor::empty(DType::float32, {table.rows, 1});
    for (size_t row = 0; row < static_cast<size_t>(table.rows); ++row) {
      y.mutable_data<float>()[row] = number_at(column, number, row);
    }
    return y;
  }
  const Places places(classes);
  Tensor y = Tensor::empty(DType::int32, {table.rows});
  for (size_t row = 0; row < static_cast<size_t>(table.rows); ++row) {
    y.mutable_data<int32_t>()[row] = static_cast<int32_t>(places.of(column, row));
  }
  return y;
}

std::vector<std::string> TablePlan::text_columns() const {
  std::vector<std::string> names;
  for (const Feature& feature : features) {
    if (feature.is_date || !feature.categories.empty()) names.push_back(feature.name);
  }
  // Classes of numbers are called 0, 1, ...
  bool are_numbers = true;
  for (size_t i = 0; i < classes.size(); ++i) {
    are_numbers = are_numbers && classes[i] == std::to_string(i);
  }
  if (!are_numbers) names.push_back(target);
  return names;
}

std::string TablePlan::describe() const {
  std::string text;
  for (const Feature& feature : features) {
    text += "  " + feature.name + ": " +
            (feature.is_date ? "date, as days since 1970"
             : feature.categories.empty()
                 ? "number"
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
    list.push_back({{"name", feature.name},
                    {"categories", feature.categories},
                    {"date", feature.is_date},
                    {"fill", feature.fill}});
  }
  return {{"kind", "table"}, {"features", list}, {"target", target}, {"classes", classes}};
}

TablePlan TablePlan::from_json(const Json& json) {
  TablePlan plan;
  for (const Json& feature : json.at("features")) {
    plan.features.push_back({feature.at("name").get<std::string>(),
                             feature.at("categories").get<std::vector<std::string>>(),
                             feature.value("date", false), feature.at("fill").get<double>()});
  }
  plan.target = json.at("target").get<std::string>();
  plan.classes = json.at("classes").get<std::vector<std::string>>();
  return plan;
}

}  // namespace antler::cli
