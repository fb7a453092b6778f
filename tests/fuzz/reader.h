#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/core/tensor.h"

namespace antler::fuzz {

/// A file reader under test. For any bytes, `read` must return or throw one of the errors for
/// files, within bounded time and memory.
struct Reader {
  std::string name;
  std::function<void(std::string_view bytes)> read;
};

/// The readers of this program, defined in one of the files *_readers.cpp.
const std::vector<Reader>& readers();

/// Throws std::invalid_argument, which lists the available readers.
const Reader& find_reader(const std::string& name);

/// Reads once. Ignores errors that say what is wrong with a file; passes on any other exception.
void read_once(const Reader& reader, std::string_view bytes);

/// Reads bytes all over an array, including the last, so that a sanitizer detects one that is too
/// short.
void use(const Tensor& tensor);

}  // namespace antler::fuzz
