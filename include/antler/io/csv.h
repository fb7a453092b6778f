#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace antler::io {

struct CsvOptions {
  /// '\0': the one of comma, semicolon, tab and bar that the first line has most of.
  char separator = ',';
  /// Whether the first line names the columns; "auto": when some column has only numbers below a
  /// first line that is none.
  std::string header = "auto";  ///< "yes", "no" or "auto"
  /// Texts that stand for a missing value, besides the empty one.
  std::vector<std::string> missing = {"NA", "N/A", "NaN", "nan", "null", "NULL", "?"};
  /// Names of columns that have texts even where every value is a number.
  std::vector<std::string> text_columns = {};
};

/// One column: numbers where every value that is there is one, else texts. Numbers beyond all
/// doubles are infinite.
struct CsvColumn {
  std::string name;
  bool is_number = true;
  std::vector<double> numbers;     ///< NaN where missing; empty for a column of texts
  std::vector<std::string> texts;  ///< empty text where missing; empty for a column of numbers
  std::vector<bool> missing;

  int64_t count_missing() const;
};

struct CsvTable {
  std::vector<CsvColumn> columns;
  int64_t rows = 0;
  /// Index of a column; -1 where there is none of that name.
  int64_t find(std::string_view name) const;
};

/// Parses comma-separated values as RFC 4180 has them: quoted fields may hold separators, line
/// breaks and doubled quotes; line ends are LF or CR LF; a byte order mark is skipped. Columns
/// without a name are called column_0, column_1, ... by their place. Throws
/// ValueError naming the line for a row of another number of fields, a quote that does not end, or
/// text behind a closing quote.
CsvTable parse_csv(std::string_view text, const CsvOptions& options = {});
/// The same from a file; throws NotFoundError and IOError too.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace antler::io
