#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace antler::cli {

/// The number of terminal columns of UTF-8 text, counting one per code point (wide characters, such
/// as Chinese, fill two).
size_t display_width(std::string_view text);

/// Formats rows of cells, the headings first, as lines with aligned columns. The first `left`
/// columns are aligned left, the others right. Each line begins with `indent` spaces.
std::string text_table(const std::vector<std::vector<std::string>>& rows, size_t left = 1,
                       size_t indent = 0);

}  // namespace antler::cli
