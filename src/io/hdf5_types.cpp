#include "io/hdf5_types.h"

#include <algorithm>

#include "antler/base/error.h"
#include "io/hdf5_fractal_heap.h"
#include "io/hdf5_record_tree.h"

namespace antler::io::hdf5 {
namespace {

/// Limit on the strings of an attribute, which are read at once.
constexpr uint64_t kMaxStringBytes = uint64_t{1} << 26;
/// HDF5's limit on dimensions.
constexpr uint32_t kMaxRank = 32;

// Classes of datatypes.
constexpr uint32_t kInteger = 0;
constexpr uint32_t kFloat = 1;
constexpr uint32_t kString = 3;
constexpr uint32_t kOpaque = 5;
constexpr uint32_t kEnumeration = 8;
constexpr uint32_t kVariable = 9;

std::optional<DType> integer_of(uint64_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? DType::int8 : DType::uint8;
    case 2:
      return is_signed ? DType::int16 : DType::uint16;
    case 4:
      return is_signed ? DType::int32 : DType::uint32;
    case 8:
      return is_signed ? DType::int64 : DType::uint64;
    default:
      return std::nullopt;
  }
}

/// The dtype of a float with this layout: the mantissa in the low bits, above it the exponent, and
/// the sign on top.
std::optional<DType> float_of(uint64_t bytes, Cursor properties, uint32_t sign) {
  const uint32_t first = properties.u16();
  const uint32_t precision = properties.u16();
  const uint32_t exponent_at = properties.u8();
  const uint32_t exponent = properties.u8();
  const uint32_t mantissa_at = properties.u8();
  const uint32_t mantissa = properties.u8();
  const uint32_t bias = properties.u32();
  const bool plain = first == 0 && precision == 8 * bytes && mantissa_at == 0 &&
                     exponent_at == mantissa && sign == precision - 1 &&
                     1 + exponent + mantissa == precision && exponent < 16 &&
                     bias == (1U << (exponent - 1)) - 1;
  if (!plain) return std::nullopt;
  if (bytes == 2 && exponent == 8) return DType::bfloat16;
  if (bytes == 2 && exponent == 5) return DType::float16;
  if (bytes == 4 && exponent == 8) return DType::float32;
  if (bytes == 8 && exponent == 11) return DType::float64;
  return std::nullopt;
}

uint64_t padded(uint64_t size) { return (size + 7) / 8 * 8; }

Attribute parse_attribute(const Objects& file, std::string_view data) {
  Cursor cursor(file.bytes(), data);
  const uint32_t version = cursor.u8();
  if (version < 1 || version > 3) file.bytes().damaged("an attribute has an unknown version");
  const uint32_t flags = cursor.u8();
  const bool named_type = version > 1 && (flags & 1) != 0;
  if (version > 1 && (flags & 2) != 0)
    file.bytes().unsupported("an attribute with a shared dataspace");
  const uint64_t name = cursor.u16();
  const uint64_t type = cursor.u16();
  const uint64_t space = cursor.u16();
  if (version == 3) cursor.skip(1);
  const auto part = [&](uint64_t size) {
    const std::string_view bytes = cursor.take(version == 1 ? padded(size) : size);
    return bytes.substr(0, size);
  };
  Attribute attribute;
  const std::string_view padded_name = part(name);
  attribute.name = padded_name.substr(0, padded_name.find('\0'));
  std::string type_data(part(type));
  if (named_type) type_data = shared_message(file, type_data, kDatatype);
  attribute.type = parse_type(Cursor(file.bytes(), type_data));
  attribute.shape = parse_space(file, Cursor(file.bytes(), part(space))).shape;
  attribute.data = cursor.rest();
  return attribute;
}

/// Whether an attribute has this name. Parses only the name: other attributes may be unsupported.
bool has_name(const Objects& file, std::string_view attribute, const std::string& name) {
  Cursor cursor(file.bytes(), attribute);
  const uint32_t version = cursor.u8();
  cursor.skip(1);
  const uint64_t size = cursor.u16();
  cursor.skip(version == 3 ? 5 : 4);
  const std::string_view own = cursor.take(size);
  return own.substr(0, own.find('\0')) == name;
}

/// The message of an attribute of an object with many attributes, which are in a heap and indexed
/// by a tree of names.
std::optional<std::string> dense_attribute(const Objects& file, const Message& info,
                                           const std::string& name) {
  Cursor cursor(file.bytes(), info.data);
  cursor.skip(1);
  if ((cursor.u8() & 1) != 0) cursor.skip(2);
  const uint64_t heap_address = file.address(cursor);
  const uint64_t tree = file.address(cursor);
  if (file.is_undefined(heap_address) || file.is_undefined(tree)) return std::nullopt;
  FractalHeap heap(file, heap_address);
  const TreeRecords names = read_record_tree(file, tree);
  constexpr uint64_t kIdBytes = 8;
  if (names.type != kAttributesByName || names.record_bytes <= kIdBytes) {
    file.bytes().damaged("the attributes of an object are corrupt");
  }
  for (const std::string& record : names.records) {
    const bool shared = (static_cast<uint8_t>(record[kIdBytes]) & 2) != 0;
    if (shared) continue;
    std::string data = heap.object(std::string_view(record).substr(0, kIdBytes));
    if (has_name(file, data, name)) return data;
  }
  return std::nullopt;
}

}  // namespace

ElementType parse_type(Cursor cursor) {
  const FileBytes& file = cursor.file();
  const uint32_t head = cursor.u32();
  const uint32_t kind = head & 15;
  const uint32_t bits = head >> 8;
  ElementType type;
  type.size = cursor.u32();
  if (type.size == 0) file.damaged("elements have size 0");
  switch (kind) {
    case kInteger: {
      type.big_endian = (bits & 1) != 0;
      const uint32_t first = cursor.u16();
      if (first == 0 && cursor.u16() == 8 * type.size) {
        type.dtype = integer_of(type.size, (bits & 8) != 0);
      }
      break;
    }
    case kFloat:
      type.big_endian = (bits & 1) != 0;
      // This bit is set for VAX byte order.
      if ((bits & 0x40) == 0) type.dtype = float_of(type.size, cursor, bits >> 8 & 0xFF);
      break;
    case kString:
      type.fixed_string = true;
      break;
    case kOpaque:
      type.opaque = true;
      break;
    case kEnumeration:
      // h5py's boolean is an enumeration of two values in a byte. Others are read as their numbers.
      if (type.size == 1 && (bits & 0xFFFF) == 2) {
        type.dtype = DType::boolean;
      } else {
        const std::string_view base = cursor.rest();
        if (!base.empty() && (static_cast<uint8_t>(base[0]) & 15) == kInteger) {
          type = parse_type(cursor);
        }
      }
      break;
    case kVariable:
      type.variable_string = (bits & 15) == 1;
      break;
    default:
      break;
  }
  return type;
}

Space parse_space(const Objects& file, Cursor cursor) {
  const uint32_t version = cursor.u8();
  const uint32_t rank = cursor.u8();
  if ((version != 1 && version != 2) || rank > kMaxRank)
    file.bytes().damaged("a dataspace is corrupt");
  const bool has_limits = (cursor.u8() & 1) != 0;
  constexpr uint32_t kNull = 2;
  const bool null = cursor.u8() == kNull && version == 2;
  if (null) return {.shape = {0}, .limits = {0}};
  if (version == 1) cursor.skip(4);
  Space space;
  for (uint32_t i = 0; i < rank; ++i) {
    const uint64_t size = file.length(cursor);
    if (size > uint64_t{1} << 62) file.bytes().damaged("a shape is too large");
    space.shape.push_back(static_cast<int64_t>(size));
    space.limits.push_back(size);
  }
  const uint64_t all_ones = ~uint64_t{0} >> (64 - 8 * file.length_size());
  for (uint32_t i = 0; has_limits && i < rank; ++i) {
    const uint64_t limit = file.length(cursor);
    space.limits[i] = limit == all_ones ? kUnlimited : limit;
  }
  return space;
}

// A collection is a signature, a version, three bytes of padding, its size, and then objects. An
// object is an index, a reference count, four bytes of padding, a size, and the bytes, padded to a
// multiple of 8. Index 0 is the free space.
std::string heap_string(const Objects& file, Cursor element, uint64_t max_bytes) {
  const uint64_t size = element.u32();
  const uint64_t collection = file.address(element);
  const uint32_t index = element.u32();
  if (size == 0 || collection == 0) return "";
  if (size > max_bytes) file.bytes().damaged("a string has an impossible size");
  const uint64_t head_size = 8 + file.length_size();
  const std::string head = file.at(collection, head_size);
  Cursor start(file.bytes(), head);
  if (start.take(4) != "GCOL") file.bytes().damaged("a string is missing");
  start.skip(4);
  const uint64_t whole = file.length(start);
  if (whole < head_size) file.bytes().damaged("a collection of strings is corrupt");
  const uint64_t object_head = 8 + file.length_size();
  for (uint64_t at = head_size; at + object_head <= whole;) {
    const std::string object = file.at(collection + at, object_head);
    Cursor cursor(file.bytes(), object);
    const uint32_t own = cursor.u16();
    cursor.skip(6);
    const uint64_t bytes = file.length(cursor);
    if (own == 0 || bytes > whole - at - object_head) break;
    if (own == index) {
      if (size > bytes) file.bytes().damaged("a string is longer than its object");
      return file.at(collection + at + object_head, size);
    }
    at += object_head + padded(bytes);
  }
  file.bytes().damaged("a string is missing");
}

std::optional<Attribute> find_attribute(const Objects& file, const Messages& messages,
                                        const std::string& name) {
  for (const Message& message : messages) {
    if (message.type == kAttribute && !message.shared && has_name(file, message.data, name)) {
      return parse_attribute(file, message.data);
    }
    if (message.type != kAttributeInfo) continue;
    if (const auto data = dense_attribute(file, message, name)) return parse_attribute(file, *data);
  }
  return std::nullopt;
}

std::vector<std::string> strings_of(const Objects& file, const Attribute& attribute) {
  const ElementType& type = attribute.type;
  uint64_t count = 1;
  for (const int64_t size : attribute.shape) {
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(size), &count)) {
      file.bytes().damaged("an attribute has an impossible size");
    }
  }
  if (count == 0) return {};  // h5py writes an empty list as a list of numbers
  if (!type.fixed_string && !type.variable_string) {
    throw ValueError("{}: attribute '{}' is not a string.", file.bytes().name(), attribute.name);
  }
  if (count > attribute.data.size() / type.size) {
    file.bytes().damaged(format("attribute '{}' is truncated", attribute.name));
  }
  std::vector<std::string> strings;
  Cursor cursor(file.bytes(), attribute.data);
  uint64_t left = kMaxStringBytes;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view element = cursor.take(type.size);
    if (type.variable_string) {
      strings.push_back(heap_string(file, Cursor(file.bytes(), element), left));
      left -= strings.back().size();
      strings.back().resize(std::min(strings.back().find('\0'), strings.back().size()));
    } else {
      strings.emplace_back(element.substr(0, element.find('\0')));
    }
  }
  return strings;
}

}  // namespace antler::io::hdf5
