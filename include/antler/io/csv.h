#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace antler::io {

/// Options of parse_csv(), read_csv().
struct CsvOptions {
  /// '\0': whichever of comma, semicolon, tab and bar occurs most often in the first line.
  char separator = ',';
  /// Whether the first line names the columns: "yes", "no" or "auto". "auto" means yes if the first
  /// line of some column is not a number and all others are.
  std::string header = "auto";
  /// Strings that stand for a missing value, besides the empty one.
  std::vector<std::string> missing = {"NA", "N/A", "NaN", "nan", "null", "NULL", "?"};
  /// Names of columns to read as strings even if every value is a number.
  std::vector<std::string> text_columns = {};
};

/// One column: numbers if every value that is not missing is a number, else strings. Numbers out of
/// a double's range are infinite.
struct CsvColumn {
  std::string name;
  bool is_number = true;
  std::vector<double> numbers;       ///< NaN where missing; empty for a column of strings
  std::vector<std::string> strings;  ///< "" where missing; empty for a column of numbers
  std::vector<bool> missing;

  int64_t count_missing() const;
};

/// A table: columns of equal length.
struct CsvTable {
  std::vector<CsvColumn> columns;
  int64_t rows = 0;
  /// Index of the column of this name, or -1.
  int64_t find(std::string_view name) const;
};

/// Parses comma-separated values (RFC 4180). Quoted fields may hold separators, line breaks and
/// doubled quotes; lines end in LF or CR LF; a byte order mark is skipped. Columns without a name
/// are called column_0, column_1, ... by their index. Throws ValueError with the line number for a
/// row with a different number of fields, an unterminated quote, or characters after a closing
/// quote.
CsvTable parse_csv(std::string_view text, const CsvOptions& options = {});
/// The same from a file. Also throws NotFoundError and IOError.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace antler::io
