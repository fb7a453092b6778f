#pragma once

#include <string>

#include <fmt/format.h>

namespace antler::cli {

/// "a, b, c".
template <class Strings>
std::string join(const Strings& strings) {
  return fmt::format("{}", fmt::join(strings, ", "));
}

}  // namespace antler::cli
