#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/core/shape.h"
#include "io/hdf5_bytes.h"
#include "io/hdf5_objects.h"

namespace antler::io::hdf5 {

/// What the elements of an array or attribute are, as far as it matters here.
struct ElementType {
  std::optional<DType> dtype;  ///< for numbers that a tensor can hold
  uint64_t size = 0;           ///< bytes of an element in the file
  bool big_endian = false;
  bool fixed_text = false;     ///< of `size` bytes each
  bool variable_text = false;  ///< elsewhere in the file, see heap_text()
  bool opaque = false;         ///< bytes without meaning
};

/// Parses a datatype message. Throws IOError.
ElementType parse_type(Cursor cursor);
inline constexpr uint64_t kUnlimited = ~uint64_t{0};
/// How many elements, and how many there may be.
struct Space {
  Shape shape;
  std::vector<uint64_t> limits;  ///< kUnlimited where there is none
};
/// Parses a dataspace message. Throws IOError; for the space without elements the result has a
/// dimension of 0.
Space parse_space(const Objects& file, Cursor cursor);

/// A text that an element of variable length names: length, address of a collection, index in it.
/// Throws IOError for a text of more than `max_bytes`, and for one that is not there.
std::string heap_text(const Objects& file, Cursor element, uint64_t max_bytes);

/// An attribute of an object.
struct Attribute {
  std::string name;
  ElementType type;
  Shape shape;
  std::string data;
};
/// The attribute of this name; none where there is none.
std::optional<Attribute> find_attribute(const Objects& file, const Messages& messages,
                                        const std::string& name);
/// Its elements as texts. Throws ValueError for one that has no texts, IOError.
std::vector<std::string> texts_of(const Objects& file, const Attribute& attribute);

}  // namespace antler::io::hdf5
