#pragma once

#include <string_view>

namespace antler {

/// The name of a class without its namespaces: "Dense". Not for templates.
template <class T>
constexpr std::string_view type_name() {
  // "... [with T = antler::Dense; ...]" from GCC, "... [T = antler::Dense]" from Clang.
  constexpr std::string_view kSignature = __PRETTY_FUNCTION__;
  constexpr size_t kBegin = kSignature.find("T = ") + 4;
  constexpr std::string_view kName =
      kSignature.substr(kBegin, kSignature.find_first_of(";]", kBegin) - kBegin);
  return kName.substr(kName.rfind(':') + 1);
}

}  // namespace antler
