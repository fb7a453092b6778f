#pragma once

#include <string_view>

/// Files that the library carries inside; the build makes their functions from data/.
namespace antler::data::embedded {

std::string_view digits_images();
std::string_view digits_labels();

}  // namespace antler::data::embedded
