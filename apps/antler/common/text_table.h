#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace antler::cli {

/// The number of columns that UTF-8 text fills in a terminal, a column per character.
size_t display_width(std::string_view text);

/// Rows of cells, the headings first, as lines with aligned columns: the first `left` columns to
/// the left, the others to the right. Each line begins with `indent` blanks.
std::string text_table(const std::vector<std::vector<std::string>>& rows, size_t left = 1,
                       size_t indent = 0);

}  // namespace antler::cli
