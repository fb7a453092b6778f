#include "antler/io/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"

// CSV is parsed here because errors must name the file and the line, a column must be all numbers
// or all strings, and a library would be one more dependency.
namespace antler::io {
namespace {

using Row = std::vector<std::string>;

/// Splits a file into rows of fields.
class Scanner {
 public:
  Scanner(std::string_view text, char separator) : text_(text), separator_(separator) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  /// Reads the next row, skipping empty lines; false at the end. `line` becomes the row's first
  /// line, counted from 1.
  bool next(Row& row, int64_t& line) {
    while (at_ < text_.size() && skip_line_end()) {
    }
    if (at_ >= text_.size()) return false;
    line = line_;
    row.clear();
    while (true) {
      row.push_back(field());
      if (at_ < text_.size() && text_[at_] == separator_) {
        ++at_;
        continue;
      }
      skip_line_end();
      return true;
    }
  }

 private:
  bool at_line_end() const {
    return text_[at_] == '\n' ||
           (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
  }

  bool skip_line_end() {
    if (at_ >= text_.size() || !at_line_end()) return false;
    at_ += text_[at_] == '\r' && at_ + 1 < text_.size() ? 2 : 1;
    ++line_;
    return true;
  }

  std::string field() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && !at_line_end()) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    const int64_t first_line = line_;
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != '"') {
        value += c;
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value += '"';
        ++at_;
      } else {
        ++at_;
        if (at_ < text_.size() && text_[at_] != separator_ && !at_line_end()) {
          throw ValueError("Line {}: unexpected characters after a closing quote.", line_);
        }
        return value;
      }
    }
    throw ValueError("Line {}: the quoted field is not terminated.", first_line);
  }

  std::string_view text_;
  char separator_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

std::string_view trimmed(std::string_view field) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  return field;
}

std::optional<double> number_of(std::string_view field) {
  field = trimmed(field);
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size() || field.empty()) return {};
  // from_chars does not tell overflow from underflow.
  if (error == std::errc::result_out_of_range)
    return std::strtod(std::string(field).c_str(), nullptr);
  if (error != std::errc()) return {};
  return value;
}

/// The separator that occurs most often in the first line, outside quotes.
char find_separator(std::string_view text) {
  constexpr std::string_view kKnown = ",;\t|";
  std::array<int64_t, kKnown.size()> counts{};
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    const size_t known = kKnown.find(c);
    if (known != std::string_view::npos) ++counts[known];
    const bool is_empty =
        std::all_of(counts.begin(), counts.end(), [](int64_t n) { return n == 0; });
    if (c == '\n' && !is_empty) break;
  }
  return kKnown[static_cast<size_t>(std::max_element(counts.begin(), counts.end()) -
                                    counts.begin())];
}

class TableBuilder {
 public:
  explicit TableBuilder(const CsvOptions& options) : options_(options) {}

  bool is_missing(const std::string& value) const {
    const auto& missing = options_.missing;
    const std::string_view field = trimmed(value);
    return field.empty() || std::find(missing.begin(), missing.end(), field) != missing.end();
  }

  CsvColumn column(const std::vector<Row>& rows, size_t c, std::string name) const {
    CsvColumn column;
    column.name = std::move(name);
    const auto& as_strings = options_.text_columns;
    column.is_number =
        std::find(as_strings.begin(), as_strings.end(), column.name) == as_strings.end();
    for (const Row& row : rows) {
      column.missing.push_back(is_missing(row[c]));
      column.is_number = column.is_number && (column.missing.back() || number_of(row[c]));
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      const bool missing = column.missing[r];
      if (column.is_number) {
        column.numbers.push_back(missing ? std::numeric_limits<double>::quiet_NaN()
                                         : *number_of(rows[r][c]));
      } else {
        column.strings.push_back(missing ? std::string() : std::string(trimmed(rows[r][c])));
      }
    }
    return column;
  }

  /// The first line is a header if some column has a number in every other line but not in it.
  bool looks_like_header(const std::vector<Row>& rows) const {
    if (rows.size() < 2) return false;
    for (size_t c = 0; c < rows[0].size(); ++c) {
      if (is_missing(rows[0][c]) || number_of(rows[0][c])) continue;
      bool seen = false;
      bool numbers = true;
      for (size_t r = 1; r < rows.size() && numbers; ++r) {
        if (is_missing(rows[r][c])) continue;
        seen = true;
        numbers = number_of(rows[r][c]).has_value();
      }
      if (seen && numbers) return true;
    }
    return false;
  }

 private:
  const CsvOptions& options_;
};

}  // namespace

int64_t CsvColumn::count_missing() const {
  return std::count(missing.begin(), missing.end(), true);
}

int64_t CsvTable::find(std::string_view name) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return static_cast<int64_t>(i);
  }
  return -1;
}

CsvTable parse_csv(std::string_view text, const CsvOptions& options) {
  if (options.header != "yes" && options.header != "no" && options.header != "auto") {
    throw ValueError("`header` must be \"yes\", \"no\" or \"auto\". Received: \"{}\".",
                     options.header);
  }
  Scanner scanner(text, options.separator == '\0' ? find_separator(text) : options.separator);
  std::vector<Row> rows;
  Row row;
  int64_t line = 0;
  while (scanner.next(row, line)) {
    if (!rows.empty() && row.size() != rows[0].size()) {
      throw ValueError("Line {} has {} fields, the first line has {}.", line, row.size(),
                       rows[0].size());
    }
    rows.push_back(std::move(row));
  }
  CsvTable table;
  if (rows.empty()) return table;
  const TableBuilder builder(options);
  Row names;
  if (options.header == "yes" || (options.header == "auto" && builder.looks_like_header(rows))) {
    names = std::move(rows[0]);
    rows.erase(rows.begin());
  } else {
    names.resize(rows[0].size());
  }
  table.rows = static_cast<int64_t>(rows.size());
  for (size_t c = 0; c < names.size(); ++c) {
    const std::string_view name = trimmed(names[c]);
    table.columns.push_back(
        builder.column(rows, c, name.empty() ? "column_" + std::to_string(c) : std::string(name)));
  }
  return table;
}

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  try {
    return parse_csv(read_file(path), options);
  } catch (const ValueError& error) {
    throw ValueError("{}: {}", path, error.what());
  }
}

}  // namespace antler::io
