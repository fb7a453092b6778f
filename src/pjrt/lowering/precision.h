#pragma once

#include <string_view>

namespace antler::pjrt {

/// The attribute with the precision of each operand of products and convolutions of these elements:
/// as exact as the format, or the device's fastest if TensorFloat-32 may be used.
const char* product_precision(std::string_view element);

}  // namespace antler::pjrt
