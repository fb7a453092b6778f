#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/core/tensor.h"

/// HDF5 files, as far as weights need them: groups, arrays of numbers, and attributes that are
/// text.
///
/// Paths are "group/group/name"; the root is "". Booleans are stored as h5py does (an enumeration
/// of FALSE and TRUE), bfloat16 and float16 as floating-point types of that layout.
///
/// The reader trusts nothing that a file says: any bytes give values or an error, in bounded
/// memory. It knows what HDF5's library and h5py write, in the oldest and in the latest format
/// (h5py's libver): groups and attributes of any number, arrays in one piece and in chunks,
/// deflate, shuffle, Fletcher-32 and LZF, named types, soft links, elements that were never
/// written. Other compressions, and arrays whose data is in other files or arrays, are a ValueError
/// that says so.
namespace antler::io {

/// An open file. Reads nothing before it is asked for; copies share the file.
class Hdf5Reader {
 public:
  /// Throws NotFoundError; IOError for what is no HDF5 file.
  static Hdf5Reader open(const std::string& path);
  /// The same, from the bytes of a file, which are copied. `name` stands for the file in messages.
  static Hdf5Reader parse(std::string_view bytes, const std::string& name = "The HDF5 data");

  /// Whether there is a group or an array of this path.
  bool contains(const std::string& path) const;
  bool is_group(const std::string& path) const;
  /// Names in a group: numbers by value, then texts by bytes. Empty where there is no such group.
  std::vector<std::string> children(const std::string& group) const;
  /// An array of numbers. Throws KeyError where there is none, ValueError for elements that a
  /// tensor cannot hold, IOError for data that is damaged.
  Tensor read(const std::string& path) const;
  /// Text of an attribute of a group or array; nothing where there is none. A large one that Keras
  /// split into `name0`, `name1`, ... is not joined.
  std::optional<std::string> text_attribute(const std::string& path, const std::string& name) const;
  /// A list of texts; parts `name0`, `name1`, ... of a list that was too large are joined.
  std::optional<std::vector<std::string>> text_list_attribute(const std::string& path,
                                                              const std::string& name) const;

 private:
  struct File;
  explicit Hdf5Reader(std::shared_ptr<const File> file) : file_(std::move(file)) {}
  std::shared_ptr<const File> file_;
};

/// Sorts names as Hdf5Reader::children does: numbers by value, then texts by bytes.
void sort_names(std::vector<std::string>& names);

/// Makes a file in memory.
class Hdf5Writer {
 public:
  Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  /// Makes a group and those above it; one that exists stays.
  void group(const std::string& path);
  /// Makes an array and the groups above it. Throws ValueError when the path is taken.
  void write(const std::string& path, const Tensor& value);
  /// An attribute of a group or array that exists.
  void text_attribute(const std::string& path, const std::string& name, const std::string& value);
  /// A list of texts, split into `name0`, `name1`, ... where it is too large for one attribute.
  void text_list_attribute(const std::string& path, const std::string& name,
                           const std::vector<std::string>& values);
  /// The bytes of the file so far.
  std::string bytes();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace antler::io
