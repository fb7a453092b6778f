#pragma once

#include <string>
#include <string_view>

namespace antler {

/// Text for an HTML page or an SVG document, also within a quoted attribute. Control characters,
/// which XML forbids, become blanks.
std::string markup_escaped(std::string_view text);

}  // namespace antler
