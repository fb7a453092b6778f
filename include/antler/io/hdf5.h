#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/core/tensor.h"

/// HDF5 files, as far as model weights need them: groups, numeric datasets and string attributes.
///
/// Paths are "group/group/name"; the root is "". Booleans are stored as in h5py (an enumeration of
/// FALSE and TRUE), bfloat16 and float16 as floating-point types of that layout.
///
/// The reader does not trust the file: any bytes give values or an error, in bounded memory. It
/// reads what the HDF5 library and h5py write, in the oldest and in the latest format (h5py's
/// libver): groups and attributes of any number; contiguous and chunked datasets; the filters
/// deflate, shuffle, Fletcher-32 and LZF; named types; soft links; elements that were never
/// written. Other filters, and external or virtual datasets, are a ValueError.
namespace antler::io {

/// An open file, read on demand. Copies share the file.
class Hdf5Reader {
 public:
  /// Throws NotFoundError; IOError if the file is not an HDF5 file.
  static Hdf5Reader open(const std::string& path);
  /// The same, from the bytes of a file, which are copied. `name` is used in messages.
  static Hdf5Reader parse(std::string_view bytes, const std::string& name = "The HDF5 data");

  /// Whether there is a group or a dataset at this path.
  bool contains(const std::string& path) const;
  bool is_group(const std::string& path) const;
  /// Names in a group, ordered as by sort_names(). Empty if there is no such group.
  std::vector<std::string> children(const std::string& group) const;
  /// A numeric dataset. Throws KeyError if there is none, ValueError for elements that a tensor
  /// cannot hold, IOError for corrupt data.
  Tensor read(const std::string& path) const;
  /// A string attribute of a group or dataset; nullopt if there is none. A large one that Keras
  /// split into `name0`, `name1`, ... is not joined.
  std::optional<std::string> string_attribute(const std::string& path,
                                              const std::string& name) const;
  /// A list of strings. Parts `name0`, `name1`, ... of a list that was too large are joined.
  std::optional<std::vector<std::string>> string_list_attribute(const std::string& path,
                                                                const std::string& name) const;

 private:
  struct File;
  explicit Hdf5Reader(std::shared_ptr<const File> file) : file_(std::move(file)) {}
  std::shared_ptr<const File> file_;
};

/// Sorts names: numbers by value, then other strings by their bytes.
void sort_names(std::vector<std::string>& names);

/// Builds a file in memory.
class Hdf5Writer {
 public:
  Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  /// Creates a group and its parents unless they exist.
  void group(const std::string& path);
  /// Creates a dataset and its parent groups. Throws ValueError if the path exists.
  void write(const std::string& path, const Tensor& value);
  /// Adds an attribute to an existing group or dataset.
  void string_attribute(const std::string& path, const std::string& name, const std::string& value);
  /// A list of strings, split into `name0`, `name1`, ... if it is too large for one attribute.
  void string_list_attribute(const std::string& path, const std::string& name,
                             const std::vector<std::string>& values);
  /// The bytes of the file so far.
  std::string bytes();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace antler::io
