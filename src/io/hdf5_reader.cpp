#include <algorithm>
#include <bit>
#include <cstring>

#include "antler/base/error.h"
#include "antler/io/hdf5.h"
#include "io/hdf5_array.h"
#include "io/hdf5_objects.h"
#include "io/hdf5_types.h"

// Files are written with HDF5's library, but read by Antler's own code: they may come from
// anywhere, so any bytes must give values or an error in bounded memory. The fuzzers check this.

namespace antler::io {

using hdf5::Messages;
using hdf5::Objects;

struct Hdf5Reader::File {
  explicit File(ByteFile file) : objects(std::move(file)) {}
  Objects objects;

  /// Messages of the object at a path; nullopt if there is none.
  std::optional<Messages> messages(const std::string& path) const {
    const auto object = objects.find(path);
    if (!object) return std::nullopt;
    return objects.messages(*object);
  }
};

namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are copied from the file as they are");

bool is_count(const std::string& name) {
  return !name.empty() && name.size() < 10 &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool in_order(const std::string& a, const std::string& b) {
  if (is_count(a) && is_count(b)) return std::stol(a) < std::stol(b);
  if (is_count(a) != is_count(b)) return is_count(a);
  return a < b;
}

std::optional<std::vector<std::string>> strings_of(const Objects& objects, const Messages& messages,
                                                   const std::string& name) {
  const auto attribute = hdf5::find_attribute(objects, messages, name);
  if (!attribute) return std::nullopt;
  return hdf5::strings_of(objects, *attribute);
}

}  // namespace

void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(), in_order);
}

Hdf5Reader Hdf5Reader::open(const std::string& path) {
  return Hdf5Reader(std::make_shared<File>(ByteFile::open(path)));
}

Hdf5Reader Hdf5Reader::parse(std::string_view bytes, const std::string& name) {
  return Hdf5Reader(std::make_shared<File>(ByteFile(std::string(bytes), name)));
}

bool Hdf5Reader::contains(const std::string& path) const {
  return file_->objects.find(path).has_value();
}

bool Hdf5Reader::is_group(const std::string& path) const {
  const auto messages = file_->messages(path);
  return messages && Objects::is_group(*messages);
}

std::vector<std::string> Hdf5Reader::children(const std::string& group) const {
  std::vector<std::string> names;
  if (!is_group(group)) return names;
  for (const hdf5::Link& link : file_->objects.links(*file_->objects.find(group))) {
    names.push_back(link.name);
  }
  sort_names(names);
  return names;
}

Tensor Hdf5Reader::read(const std::string& path) const {
  const Objects& objects = file_->objects;
  const auto messages = file_->messages(path);
  std::optional<std::string> type_message;
  std::optional<std::string> space_message;
  if (messages && !Objects::is_group(*messages)) {
    type_message = hdf5::find_message(objects, *messages, hdf5::kDatatype);
    space_message = hdf5::find_message(objects, *messages, hdf5::kDataspace);
  }
  if (!type_message || !space_message) {
    throw KeyError("{} has no array '{}'.", objects.bytes().name(), path);
  }
  hdf5::ElementType type = hdf5::parse_type(hdf5::Cursor(objects.bytes(), *type_message));
  // Keras writes bfloat16 as opaque elements of two bytes and names the dtype in an attribute.
  if (type.opaque && type.size == 2 &&
      strings_of(objects, *messages, "dtype") == std::vector<std::string>{"bfloat16"}) {
    type.dtype = DType::bfloat16;
  }
  if (!type.dtype) {
    throw ValueError("{}, '{}': a tensor cannot hold its elements.", objects.bytes().name(), path);
  }
  const hdf5::Space space =
      hdf5::parse_space(objects, hdf5::Cursor(objects.bytes(), *space_message));
  std::string bytes = hdf5::read_elements(objects, *messages, space, type.size);
  if (type.big_endian) {
    for (size_t at = 0; at < bytes.size(); at += type.size) {
      std::reverse(bytes.data() + at, bytes.data() + at + type.size);
    }
  }
  if (*type.dtype == DType::boolean) {
    // In C++ only 0 and 1 are valid bytes of a bool.
    for (char& byte : bytes) byte = byte != 0 ? 1 : 0;
  }
  Tensor result = Tensor::empty(*type.dtype, space.shape);
  if (!bytes.empty()) std::memcpy(result.mutable_data(), bytes.data(), bytes.size());
  return result;
}

std::optional<std::string> Hdf5Reader::string_attribute(const std::string& path,
                                                        const std::string& name) const {
  const auto messages = file_->messages(path);
  if (!messages) return {};
  auto strings = strings_of(file_->objects, *messages, name);
  if (!strings || strings->size() != 1) return {};
  return std::move(strings->front());
}

std::optional<std::vector<std::string>> Hdf5Reader::string_list_attribute(
    const std::string& path, const std::string& name) const {
  const auto messages = file_->messages(path);
  if (!messages) return {};
  auto strings = strings_of(file_->objects, *messages, name);
  if (strings) return strings;
  std::vector<std::string> all;
  for (int part = 0;; ++part) {
    const auto more = strings_of(file_->objects, *messages, name + std::to_string(part));
    if (!more) {
      if (part == 0) return {};
      return all;
    }
    all.insert(all.end(), more->begin(), more->end());
  }
}

}  // namespace antler::io
