#include "pjrt/lowering/precision.h"

#include "antler/runtime/config.h"

namespace antler::pjrt {

const char* product_precision(std::string_view element) {
  const bool is_exact =
      element == "f64" || (element == "f32" && !config::tensor_float_32_execution());
  return is_exact ? "#stablehlo<precision HIGHEST>" : "#stablehlo<precision DEFAULT>";
}

}  // namespace antler::pjrt
