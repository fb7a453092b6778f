#include "common/dates.h"

#include <charconv>
#include <chrono>
#include <string_view>

namespace antler::cli {
namespace {

/// Reads `count` digits and removes them from `text`. sscanf would accept signs and spaces, too.
bool take_digits(std::string_view& text, size_t count, int& number) {
  if (text.size() < count) return false;
  number = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return false;
    number = 10 * number + (c - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// Reads ".25", if it is there, and removes it. Returns false for a point without digits.
bool take_fraction(std::string_view& text, double& fraction) {
  fraction = 0;
  if (!text.starts_with('.')) return true;
  if (text.size() < 2 || text[1] < '0' || text[1] > '9') return false;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), fraction, std::chars_format::fixed);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

/// The fraction of a day, for "18:30" or "18:30:15.25" with an optional Z.
std::optional<double> day_fraction(std::string_view text) {
  int hours = 0;
  int minutes = 0;
  int seconds = 0;
  double fraction = 0;
  if (!take_digits(text, 2, hours) || !take(text, ':') || !take_digits(text, 2, minutes)) return {};
  if (take(text, ':')) {
    if (!take_digits(text, 2, seconds) || !take_fraction(text, fraction)) return {};
  }
  take(text, 'Z');
  // There are leap seconds.
  if (!text.empty() || hours > 23 || minutes > 59 || seconds > 60) return {};
  return (hours * 3600.0 + minutes * 60.0 + seconds + fraction) / 86400.0;
}

}  // namespace

std::optional<double> days_of_date(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!take_digits(text, 4, year) || text.empty()) return {};
  const char separator = text[0];
  if (separator != '-' && separator != '/') return {};
  if (!take(text, separator) || !take_digits(text, 2, month)) return {};
  if (!take(text, separator) || !take_digits(text, 2, day)) return {};
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.empty()) return days;
  if (!take(text, ' ') && !take(text, 'T')) return {};
  const auto time = day_fraction(text);
  return time ? std::optional<double>(days + *time) : std::nullopt;
}

bool is_date_column(const io::CsvColumn& column) {
  bool has_date = false;
  for (size_t row = 0; row < column.strings.size(); ++row) {
    if (column.missing[row]) continue;
    if (!days_of_date(column.strings[row])) return false;
    has_date = true;
  }
  return has_date;
}

}  // namespace antler::cli
