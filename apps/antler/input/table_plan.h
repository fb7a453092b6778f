#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/tensor.h"
#include "antler/io/csv.h"

namespace antler::cli {

/// How the columns of a table become numbers. It is inferred from the training data, saved beside
/// the model, and used for every other table.
struct TablePlan {
  struct Feature {
    std::string name = {};
    /// The values of a category, which is one-hot encoded; empty for a column of numbers.
    std::vector<std::string> categories = {};
    bool is_date = false;          ///< dates become days since 1970
    double fill = 0;               ///< the mean, for missing numbers
    std::string describe() const;  ///< "number", "category of 3", ...
    int64_t width() const {
      return categories.empty() ? 1 : static_cast<int64_t>(categories.size());
    }
  };
  std::vector<Feature> features;
  /// Columns that are not used, and why: columns without values, and string columns with too many
  /// distinct values, like names.
  std::vector<std::pair<std::string, std::string>> ignored;
  std::string target;
  /// Names of the classes; empty if the target is a number.
  std::vector<std::string> classes;
  /// The rows of a window; 0: each row is a sample. The rows are in chronological order. A sample
  /// is a window of all features; its target is the target of the row `horizon` rows after it.
  int64_t window = 0;
  int64_t horizon = 1;

  int64_t width() const;
  /// float32 [rows, width()], or [windows, window, width()]: the windows whose target is in the
  /// table or, with `all`, all windows. Throws a ValueError that names the column if it is missing
  /// or occurs twice, or if it has a string instead of a number, a number out of float32's range,
  /// or an unknown category.
  Tensor features_of(const io::CsvTable& table, bool all) const;
  /// int32 [samples] classes or float32 [samples, 1] numbers. Throws ValueError in the same cases
  /// as features_of(), and for missing values.
  Tensor target_of(const io::CsvTable& table) const;
  /// Columns to read as strings even if other data has only numbers in them.
  std::vector<std::string> string_columns() const;
  bool has_target(const io::CsvTable& table) const { return table.find(target) >= 0; }
  /// A description to print, a line per column.
  std::string describe() const;
  /// How a column is used, as in describe(): "number", "category of 3", "ignored, ...".
  std::string use_of(const std::string& column) const;

  Json to_json() const;
  static TablePlan from_json(const Json& json);

 private:
  Tensor rows_of(const io::CsvTable& table) const;
  /// The first row that is the target of a sample.
  int64_t first_target() const { return window == 0 ? 0 : window - 1 + horizon; }
};

struct TablePlanOptions {
  std::string target = {};    ///< empty: the last column
  std::string task = "auto";  ///< or "classification", "regression"
  int64_t window = 0;         ///< 0: no windows
  int64_t horizon = 1;
};

/// Infers the plan of a table. By default a target of strings, or of the integers 0, 1, ... up to a
/// small number, is a class. Columns of dates become numbers. Features of windows are the columns
/// of numbers, including the target's. Throws ValueError for an unknown target, a target with
/// missing values, classes of which there is only one, or more than 100 and more than half as many
/// as rows, a regression of strings, two columns of one name, and a table without a usable column.
TablePlan plan_table(const io::CsvTable& table, const TablePlanOptions& options);

}  // namespace antler::cli
