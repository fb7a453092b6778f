#pragma once

#include <optional>
#include <string>

namespace antler::cli {

/// A date as ISO 8601 writes it, "2024-02-29" (also with / between), alone or before a time of day,
/// "2024-02-29 18:30", "2024-02-29T18:30:15.25Z": days since 1970-01-01, with the time as their
/// fraction. Nothing for other texts, dates that no calendar has, and offsets of time zones.
std::optional<double> days_of_date(const std::string& text);

}  // namespace antler::cli
