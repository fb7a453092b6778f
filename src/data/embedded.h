#pragma once

#include <string_view>

/// Files embedded in the library. The build generates these functions from the files in data/.
namespace antler::data::embedded {

std::string_view digits_images();
std::string_view digits_labels();

}  // namespace antler::data::embedded
