#pragma once

#include <string>

#include "antler/base/error.h"

namespace antler {

/// Throws the `error` that is being handled once more, as its own class, with another text. An
/// error of a class of the program's own, which nobody here can make, keeps its text.
[[noreturn]] void throw_again(const Error& error, const std::string& text);

/// `text` and a sentence behind it.
std::string with_sentence(std::string text, const std::string& sentence);

}  // namespace antler
