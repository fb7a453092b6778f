#pragma once

#include <string>

#include "comparison/comparison.h"

namespace antler::cli {

/// A self-contained HTML page with the curves of all runs over each other, a chart for each value,
/// and the tables. It fits phones and large screens, and is light or dark as the system is.
std::string compare_page(const Comparison& comparison);

}  // namespace antler::cli
