#pragma once

#include <string_view>

namespace antler::cli {

/// The page of the dashboard. The build generates this function from dashboard.html.
std::string_view dashboard_page();

}  // namespace antler::cli
