#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/core/shape.h"
#include "io/hdf5_bytes.h"
#include "io/hdf5_objects.h"

namespace antler::io::hdf5 {

/// The element type of a dataset or attribute.
struct ElementType {
  std::optional<DType> dtype;  ///< nullopt if a tensor cannot hold the elements
  uint64_t size = 0;           ///< bytes of an element in the file
  bool big_endian = false;
  bool fixed_string = false;     ///< strings of `size` bytes
  bool variable_string = false;  ///< strings elsewhere in the file, see heap_string()
  bool opaque = false;           ///< uninterpreted bytes
};

/// Parses a datatype message. Throws IOError.
ElementType parse_type(Cursor cursor);

inline constexpr uint64_t kUnlimited = ~uint64_t{0};
/// A shape, and the largest sizes of its dimensions (kUnlimited for no limit).
struct Space {
  Shape shape;
  std::vector<uint64_t> limits;
};
/// Parses a dataspace message. A null dataspace gives shape {0}. Throws IOError.
Space parse_space(const Objects& file, Cursor cursor);

/// The string that an element of variable length refers to by its length, the address of a global
/// heap collection, and an index in it. Throws IOError if it is missing or longer than `max_bytes`.
std::string heap_string(const Objects& file, Cursor element, uint64_t max_bytes);

struct Attribute {
  std::string name;
  ElementType type;
  Shape shape;
  std::string data;
};
/// The attribute of this name; nullopt if there is none.
std::optional<Attribute> find_attribute(const Objects& file, const Messages& messages,
                                        const std::string& name);
/// The strings of an attribute. Throws ValueError if its elements are not strings; IOError.
std::vector<std::string> strings_of(const Objects& file, const Attribute& attribute);

}  // namespace antler::io::hdf5
