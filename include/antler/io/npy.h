#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

/// NumPy's files: .npy (one array; format versions 1.0 to 3.0) and .npz (a zip archive of arrays).
///
/// All dtypes are written as by NumPy. NumPy has no bfloat16; it is written as NumPy writes the
/// type of the ml_dtypes package ('<V2'), and any two-byte void type is read as bfloat16. Files
/// that hold the bits of bfloat16 as '<u2' give uint16.
///
/// Arrays in C and Fortran order and in both byte orders are read; results are row-major. A file
/// that is corrupt, truncated or longer than its header says throws IOError. A valid file with
/// elements that a tensor cannot hold (strings, complex numbers, records, Python objects) throws
/// ValueError.
namespace antler::io {

/// Names (without ".npy") and arrays, in the order of the archive.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Reads a .npy file. Throws NotFoundError, IOError, ValueError.
Tensor load_npy(const std::string& path);
/// The same, from the bytes of a file.
Tensor parse_npy(std::string_view bytes);

/// Writes a .npy file of version 1.0. `path` is replaced when the file is complete. Throws IOError;
/// RuntimeError for a tensor without a buffer.
void save_npy(const std::string& path, const Tensor& tensor);
/// The bytes that save_npy writes.
std::string format_npy(const Tensor& tensor);

/// Reads all arrays of a .npz file. Throws NotFoundError, IOError, ValueError.
NamedTensors load_npz(const std::string& path);
/// The same, from the bytes of a file.
NamedTensors parse_npz(std::string_view bytes);

/// Options of save_npz().
struct NpzOptions {
  bool compressed = false;  ///< by deflate, as in numpy.savez_compressed
};

/// Writes a .npz file. `path` is replaced when the file is complete. Equal arrays give equal bytes.
/// Throws IOError; ValueError for a name that is empty or occurs twice.
void save_npz(const std::string& path, const NamedTensors& entries, const NpzOptions& options = {});

}  // namespace antler::io
