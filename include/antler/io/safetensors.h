#pragma once

#include <string>
#include <string_view>

#include "antler/io/npy.h"

namespace antler::io {

/// Reads a safetensors file (Hugging Face's format): 8 bytes of header length, a JSON header, then
/// the bytes of the arrays. Arrays are in file order. Throws NotFoundError; IOError for a file that
/// is truncated or whose arrays overlap, leave gaps, or do not have the size of their shape;
/// ValueError for a dtype that tensors do not have.
NamedTensors load_safetensors(const std::string& path);
/// The same, from the bytes of a file.
NamedTensors parse_safetensors(std::string_view bytes);
/// Writes a safetensors file. `path` is replaced when the file is complete. Throws IOError;
/// ValueError for a name that occurs twice or is "__metadata__".
void save_safetensors(const std::string& path, const NamedTensors& entries);
/// The bytes that save_safetensors writes.
std::string format_safetensors(const NamedTensors& entries);

}  // namespace antler::io
