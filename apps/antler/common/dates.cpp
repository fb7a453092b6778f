#include "common/dates.h"

#include <chrono>
#include <cstdio>

namespace antler::cli {
namespace {

/// The fraction of a day, for "18:30" or "18:30:15.25" with an optional Z.
std::optional<double> day_fraction(std::string text) {
  if (text.ends_with('Z')) text.pop_back();
  unsigned hours = 0;
  unsigned minutes = 0;
  double seconds = 0;
  int read = -1;
  if (std::sscanf(text.c_str(), "%2u:%2u%n", &hours, &minutes, &read) != 2) return {};
  const std::string rest = text.substr(static_cast<size_t>(read));
  if (!rest.empty()) {
    // sscanf would also accept signs, exponents and spaces.
    if (rest.find_first_not_of(":0123456789.") != std::string::npos) return {};
    if (std::sscanf(rest.c_str(), ":%lf%n", &seconds, &read) != 1) return {};
    if (static_cast<size_t>(read) != rest.size()) return {};
  }
  if (hours > 23 || minutes > 59 || seconds >= 61) return {};
  return (hours * 3600.0 + minutes * 60.0 + seconds) / 86400.0;
}

}  // namespace

std::optional<double> days_of_date(const std::string& text) {
  constexpr size_t kDate = 10;
  if (text.size() < kDate) return {};
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  for (size_t i = 0; i < kDate; ++i) {
    const bool is_separator = i == 4 || i == 7;
    const bool valid =
        is_separator ? (text[i] == '-' || text[i] == '/') : (text[i] >= '0' && text[i] <= '9');
    if (!valid) return {};
  }
  if (std::sscanf(text.c_str(), "%4d%*c%2u%*c%2u", &year, &month, &day) != 3) return {};
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return {};
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.size() == kDate) return days;
  if (text[kDate] != ' ' && text[kDate] != 'T') return {};
  const auto time = day_fraction(text.substr(kDate + 1));
  return time ? std::optional<double>(days + *time) : std::nullopt;
}

}  // namespace antler::cli
