#pragma once

#include <cstddef>

namespace antler::compiler {

/// An id as a vector index.
inline size_t at(int id) { return static_cast<size_t>(id); }

}  // namespace antler::compiler
