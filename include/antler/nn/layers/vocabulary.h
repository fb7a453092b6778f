#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace antler {

/// The tokens of a file of UTF-8, one a line, for lookup layers; what Keras's `vocabulary` means
/// where it is a path:
///
///     StringLookup({.vocabulary = read_vocabulary("words.txt")})
///
/// Empty lines at the end are none. Throws NotFoundError where there is no file.
std::vector<std::string> read_vocabulary(const std::string& path);

/// The same for a text that was read already.
std::vector<std::string> vocabulary_lines(std::string_view text);

}  // namespace antler
