#pragma once

#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/tensor.h"
#include "antler/io/csv.h"

namespace antler::cli {

/// How the columns of a table become numbers: found in the training data, kept beside the trained
/// model, used again for every other table.
struct TablePlan {
  struct Feature {
    std::string name = {};
    /// Each becomes a column of zeros and ones; empty for a column of numbers.
    std::vector<std::string> categories = {};
    bool is_date = false;  ///< texts of dates become days since 1970
    double fill = 0;       ///< for a number that is missing: the mean of the others
    int64_t width() const {
      return categories.empty() ? 1 : static_cast<int64_t>(categories.size());
    }
  };
  std::vector<Feature> features;
  /// Columns without a value, and of texts that are nearly all different, as names and numbers of
  /// customers are; only describe() tells of them.
  std::vector<std::string> left_out;
  std::string target;
  /// What class 0, 1, ... is called; empty when the target is a number.
  std::vector<std::string> classes;

  int64_t width() const;
  /// float32 [rows, width()]. Throws ValueError naming a column that is not there or there twice,
  /// has texts instead of numbers, a number beyond float32, or a category that the training data
  /// did not have.
  Tensor features_of(const io::CsvTable& table) const;
  /// int32 [rows] classes or float32 [rows, 1] numbers. Throws ValueError, also for missing ones.
  Tensor target_of(const io::CsvTable& table) const;
  /// Columns that are to be read as texts, whatever they look like in other data.
  std::vector<std::string> text_columns() const;
  bool has_target(const io::CsvTable& table) const { return table.find(target) >= 0; }
  /// What was found, a line per column.
  std::string describe() const;

  Json to_json() const;
  static TablePlan from_json(const Json& json);
};

/// Looks at a table. `target`: empty = the last column. A target of texts, or of few whole numbers
/// from 0 on, is a class. Texts that are all dates are numbers. Throws ValueError for an unknown
/// target, one with missing values, with one text only or hardly the same text twice, for two
/// columns of one name, and for a table without any column to learn from.
TablePlan plan_table(const io::CsvTable& table, const std::string& target);

}  // namespace antler::cli
