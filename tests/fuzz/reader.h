#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/core/tensor.h"

namespace antler::fuzz {

/// A reader of files under test. Whatever the bytes are, `read` must return, or throw one of the
/// errors that files give, within bounded time and memory.
struct Reader {
  std::string name;
  std::function<void(std::string_view bytes)> read;
};

/// The readers of this program; one of the files *_readers.cpp has them.
const std::vector<Reader>& readers();

/// Throws std::invalid_argument, naming those there are.
const Reader& find_reader(const std::string& name);

/// Reads once. Errors that say what is wrong with a file are the right answer; anything else that
/// is thrown reaches the caller.
void read_once(const Reader& reader, std::string_view bytes);

/// Looks at bytes all over an array, the last one too, so that a sanitizer sees one that is too
/// short.
void use(const Tensor& tensor);

}  // namespace antler::fuzz
