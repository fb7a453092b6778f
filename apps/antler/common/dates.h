#pragma once

#include <optional>
#include <string_view>

#include "antler/io/csv.h"

namespace antler::cli {

/// Days since 1970-01-01 of an ISO 8601 date, with the time of day as the fraction. Accepts
/// "2024-02-29" (also with / instead of -), "2024-02-29 18:30" and "2024-02-29T18:30:15.25Z".
/// Nullopt for other strings, invalid dates and time zone offsets.
std::optional<double> days_of_date(std::string_view text);

/// Whether the column has dates and missing values only, and at least one date.
bool is_date_column(const io::CsvColumn& column);

}  // namespace antler::cli
