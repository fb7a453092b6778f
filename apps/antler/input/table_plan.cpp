#include "input/table_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "base/strings.h"
#include "common/dates.h"

namespace antler::cli {
namespace {

constexpr size_t kMaxCategories = 100;
constexpr size_t kMaxNumberClasses = 30;

const io::CsvColumn& column_of(const io::CsvTable& table, const std::string& name) {
  std::vector<std::string> known;
  const io::CsvColumn* found = nullptr;
  for (const io::CsvColumn& column : table.columns) {
    known.push_back(column.name);
    if (column.name != name) continue;
    if (found != nullptr) {
      throw ValueError("Two columns are named '{}': rename one of them.", name);
    }
    found = &column;
  }
  if (found == nullptr) {
    throw ValueError("There is no column '{}'. Columns: {}.", name, join(known));
  }
  return *found;
}

std::vector<std::string> distinct(const std::vector<std::string>& values) {
  const std::set<std::string> set(values.begin(), values.end());
  return {set.begin(), set.end()};
}

/// "0", "1", ... if the distinct numbers are 0, 1, ...; empty otherwise.
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

/// Names of the distinct numbers in their order.
std::vector<std::string> distinct_numbers(const std::vector<double>& numbers) {
  std::vector<std::string> classes;
  for (const double number : std::set<double>(numbers.begin(), numbers.end())) {
    classes.push_back(format("{}", number));
  }
  return classes;
}

/// The names of the classes; empty for a target of numbers.
std::vector<std::string> classes_of(const io::CsvColumn& target, const std::string& task) {
  if (task == "regression") {
    if (target.is_number) return {};
    throw ValueError("The target column '{}' has strings: that is not a regression.", target.name);
  }
  if (!target.is_number) return distinct(target.strings);
  return task == "classification" ? distinct_numbers(target.numbers)
                                  : number_classes(target.numbers);
}

/// Whether the name of a class is a number. Then its column was a column of numbers.
bool is_number_name(const std::string& name) {
  double number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() && format("{}", number) == name;
}

[[noreturn]] void refuse_value(const std::string& column, size_t row, const std::string& value,
                               const char* why) {
  throw ValueError("Column '{}' has {} in row {}, {}.", column,
                   value.empty() ? "no value" : format("the value '{}'", value), row + 1, why);
}

/// A value of a column of numbers or dates. Throws ValueError if it is not finite in float32.
float number_at(const io::CsvColumn& column, const TablePlan::Feature& feature, size_t row) {
  double number = feature.fill;
  if (!column.missing[row]) {
    if (column.is_number) {
      number = column.numbers[row];
    } else if (const auto days = days_of_date(column.strings[row]); feature.is_date && days) {
      number = *days;
    } else {
      refuse_value(column.name, row, column.strings[row],
                   feature.is_date ? "which is not a date as in the training data"
                                   : "but the training data has numbers");
    }
  }
  if (!(std::abs(number) <= std::numeric_limits<float>::max())) {
    refuse_value(column.name, row, format("{}", number), "which is out of range for float32");
  }
  return static_cast<float>(number);
}

/// A value of a column as the name of a category.
std::string category_at(const io::CsvColumn& column, size_t row) {
  if (column.missing[row]) return "";
  if (!column.is_number) return column.strings[row];
  return format("{}", column.numbers[row]);
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

/// The index of each category.
class CategoryIndex {
 public:
  explicit CategoryIndex(const std::vector<std::string>& categories) {
    for (const std::string& category : categories) index_.emplace(category, std::ssize(index_));
  }
  int64_t at(const io::CsvColumn& column, size_t row) const {
    const std::string category = category_at(column, row);
    const auto it = index_.find(category);
    if (it == index_.end()) {
      refuse_value(column.name, row, category, "which is not in the training data");
    }
    return it->second;
  }

 private:
  std::unordered_map<std::string, int64_t> index_;
};

/// The first `count` windows of `size` rows of [rows, width]: [count, size, width].
Tensor windows_of(const Tensor& rows, int64_t size, int64_t count) {
  const int64_t width = rows.shape()[1];
  Tensor windows = Tensor::empty(DType::float32, {count, size, width});
  const auto window = static_cast<size_t>(size * width);
  const float* from = rows.data<float>();
  auto* to = windows.mutable_data<float>();
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(from + i * width, window, to + i * size * width);
  }
  return windows;
}

/// Throws ValueError for a target that is useless for a classifier.
void check_classes(const io::CsvColumn& label, const std::vector<std::string>& classes) {
  const size_t rows = label.missing.size();
  if (classes.size() == 1) {
    throw ValueError(
        "The target column '{}' has the value '{}' in all rows: there is nothing to classify.",
        label.name, classes[0]);
  }
  if (classes.size() > kMaxCategories && classes.size() > rows / 2) {
    throw ValueError(
        "The target column '{}' has {} distinct values in {} rows: too few rows per class. Choose "
        "another column with --target.",
        label.name, classes.size(), rows);
  }
}

void check_not_missing(const io::CsvColumn& target) {
  if (target.count_missing() == 0) return;
  throw ValueError("The target column '{}' has {} missing values.", target.name,
                   target.count_missing());
}

}  // namespace

TablePlan plan_table(const io::CsvTable& table, const TablePlanOptions& options) {
  // Windows need no other column: they contain the past of the target itself.
  const size_t least = options.window > 0 ? 1 : 2;
  if (table.rows == 0 || table.columns.size() < least) {
    throw ValueError(
        "The table needs at least one row and {} column{}. It has {} rows and {} columns.", least,
        least == 1 ? "" : "s", table.rows, table.columns.size());
  }
  const bool all_strings =
      std::none_of(table.columns.begin(), table.columns.end(),
                   [](const io::CsvColumn& column) { return column.is_number; });
  if (table.rows == 1 && all_strings) {
    throw ValueError("The table has one line without numbers. Is it a header without rows?");
  }
  TablePlan plan;
  plan.target = options.target.empty() ? table.columns.back().name : options.target;
  plan.window = options.window;
  plan.horizon = options.horizon;
  const io::CsvColumn& label = column_of(table, plan.target);
  check_not_missing(label);
  plan.classes = classes_of(label, options.task);
  check_classes(label, plan.classes);
  for (const io::CsvColumn& column : table.columns) {
    if (column.name == plan.target && plan.window == 0) continue;
    column_of(table, column.name);
    if (plan.window > 0 && !column.is_number) {
      plan.ignored.emplace_back(column.name, "windows take numbers only");
      continue;
    }
    TablePlan::Feature feature{column.name, {}, is_date_column(column), 0};
    if (column.count_missing() == table.rows) {
      plan.ignored.emplace_back(column.name, "it has no values");
      continue;
    }
    if (column.is_number || feature.is_date) {
      feature.fill = mean_of(column, feature);
    } else {
      feature.categories = distinct(column.strings);
      if (feature.categories.size() > kMaxCategories) {
        plan.ignored.emplace_back(column.name,
                                  format("it has {} distinct strings (at most {} make a category)",
                                         feature.categories.size(), kMaxCategories));
        continue;
      }
    }
    plan.features.push_back(std::move(feature));
  }
  if (plan.features.empty()) {
    const auto& [name, why] = plan.ignored.front();
    throw ValueError("No column is left to learn from. {}: ignored, {}.", name, why);
  }
  return plan;
}

int64_t TablePlan::width() const {
  int64_t sum = 0;
  for (const Feature& feature : features) sum += feature.width();
  return sum;
}

Tensor TablePlan::features_of(const io::CsvTable& table, bool all) const {
  Tensor rows = rows_of(table);
  if (window == 0) return rows;
  const int64_t needed = all ? window : first_target() + 1;
  if (table.rows < needed) {
    throw ValueError("The table has {} rows. A window of {} rows{} needs at least {}.", table.rows,
                     window, all ? "" : format(" with a target {} rows later", horizon), needed);
  }
  return windows_of(rows, window, table.rows - needed + 1);
}

Tensor TablePlan::rows_of(const io::CsvTable& table) const {
  const int64_t columns = width();
  Tensor x = Tensor::zeros(DType::float32, {table.rows, columns});
  float* out = x.mutable_data<float>();
  for (const Feature& feature : features) {
    const io::CsvColumn& column = column_of(table, feature.name);
    const CategoryIndex categories(feature.categories);
    for (int64_t row = 0; row < table.rows; ++row) {
      const auto r = static_cast<size_t>(row);
      if (feature.categories.empty()) {
        out[row * columns] = number_at(column, feature, r);
      } else {
        out[row * columns + categories.at(column, r)] = 1;
      }
    }
    out += feature.width();
  }
  return x;
}

Tensor TablePlan::target_of(const io::CsvTable& table) const {
  const io::CsvColumn& column = column_of(table, target);
  check_not_missing(column);
  const int64_t first = first_target();
  const int64_t samples = std::max<int64_t>(table.rows - first, 0);
  if (classes.empty()) {
    const Feature number{.name = target};
    Tensor y = Tensor::empty(DType::float32, {samples, 1});
    for (int64_t i = 0; i < samples; ++i) {
      y.mutable_data<float>()[i] = number_at(column, number, static_cast<size_t>(first + i));
    }
    return y;
  }
  const CategoryIndex index(classes);
  Tensor y = Tensor::empty(DType::int32, {samples});
  for (int64_t i = 0; i < samples; ++i) {
    y.mutable_data<int32_t>()[i] =
        static_cast<int32_t>(index.at(column, static_cast<size_t>(first + i)));
  }
  return y;
}

std::vector<std::string> TablePlan::string_columns() const {
  std::vector<std::string> names;
  for (const Feature& feature : features) {
    if (feature.is_date || !feature.categories.empty()) names.push_back(feature.name);
  }
  if (!std::all_of(classes.begin(), classes.end(), is_number_name)) names.push_back(target);
  return names;
}

std::string TablePlan::Feature::describe() const {
  if (is_date) return "date, as days since 1970";
  return categories.empty() ? "number" : format("category of {}", categories.size());
}

std::string TablePlan::use_of(const std::string& column) const {
  std::string use;
  for (const Feature& feature : features) {
    if (feature.name == column) use = feature.describe();
  }
  for (const auto& [name, why] : ignored) {
    if (name == column) use = "ignored, " + why;
  }
  if (column != target) return use;
  const std::string kind =
      classes.empty() ? "target: number" : format("target: {} classes", classes.size());
  return use == "number" ? kind + ", its past: number" : kind;
}

std::string TablePlan::describe() const {
  std::string text;
  for (const Feature& feature : features) {
    text += format("  {}: {}\n", feature.name, feature.describe());
  }
  for (const auto& [name, why] : ignored) text += format("  {}: ignored, {}\n", name, why);
  text += format("  target {}: {}\n", target,
                 classes.empty() ? "number" : format("{} classes", classes.size()));
  if (window > 0) {
    text += format("  windows of {} rows; the target is {} row{} later\n", window, horizon,
                   horizon == 1 ? "" : "s");
  }
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
  Json json = {{"kind", "table"}, {"features", list}, {"target", target}, {"classes", classes}};
  if (window > 0) json.update(Json{{"window", window}, {"horizon", horizon}});
  return json;
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
  plan.window = json.value("window", int64_t{0});
  plan.horizon = json.value("horizon", int64_t{1});
  if (plan.window < 0 || plan.horizon < 1) throw ValueError("its window is not valid");
  return plan;
}

}  // namespace antler::cli
