#pragma once

#include <string>

#include "antler/base/error.h"

namespace antler {

/// Throws an error of the same class as the one being handled, with another message. An error of a
/// user-defined class keeps its message, because only the user's code can construct it.
[[noreturn]] void throw_again(const Error& error, const std::string& message);

/// Appends a sentence to a message.
std::string with_sentence(std::string message, const std::string& sentence);

}  // namespace antler
