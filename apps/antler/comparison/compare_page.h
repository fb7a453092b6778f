#pragma once

#include <string>

#include "comparison/comparison.h"

namespace antler::cli {

/// A self-contained HTML page with one chart per value, which shows the curves of all runs, and the
/// tables. It fits phones and large screens and follows the system's light or dark mode.
std::string compare_page(const Comparison& comparison);

}  // namespace antler::cli
