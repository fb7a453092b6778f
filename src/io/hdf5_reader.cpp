#include <algorithm>
#include <bit>
#include <cstring>

#include "antler/base/error.h"
#include "antler/io/hdf5.h"
#include "io/hdf5_array.h"
#include "io/hdf5_objects.h"
#include "io/hdf5_types.h"

// The reader is Antler's own, the writer HDF5's library: files come from anywhere, and the library
// trusts what they say.

namespace antler::io {

using hdf5::Messages;
using hdf5::Objects;

struct Hdf5Reader::File {
  explicit File(std::shared_ptr<const hdf5::FileBytes> bytes) : objects(std::move(bytes)) {}
  Objects objects;

  /// Of the object at a path; none where there is none.
  std::optional<Messages> messages(const std::string& path) const {
    const auto object = objects.find(path);
    if (!object) return std::nullopt;
    return objects.messages(*object);
  }
  std::string where(const std::string& path) const {
    return objects.bytes().name() + ", '" + path + "'";
  }
};

namespace {

static_assert(std::endian::native == std::endian::little, "elements are as files have them");

bool is_count(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool in_order(const std::string& a, const std::string& b) {
  if (is_count(a) && is_count(b)) return std::stol(a) < std::stol(b);
  if (is_count(a) != is_count(b)) return is_count(a);
  return a < b;
}

std::optional<std::vector<std::string>> texts_of(const Objects& objects, const Messages& messages,
                                                 const std::string& name) {
  const auto attribute = hdf5::find_attribute(objects, messages, name);
  if (!attribute) return std::nullopt;
  return hdf5::texts_of(objects, *attribute);
}

}  // namespace

void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(), in_order);
}

Hdf5Reader Hdf5Reader::open(const std::string& path) {
  return Hdf5Reader(std::make_shared<File>(hdf5::FileBytes::open(path)));
}

Hdf5Reader Hdf5Reader::parse(std::string_view bytes, const std::string& name) {
  return Hdf5Reader(std::make_shared<File>(hdf5::FileBytes::of(bytes, name)));
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
  if (!messages || Objects::is_group(*messages)) {
    throw KeyError(objects.bytes().name() + " has no array '" + path + "'.");
  }
  const auto type_message = hdf5::find_message(objects, *messages, hdf5::kDatatype);
  const auto space_message = hdf5::find_message(objects, *messages, hdf5::kDataspace);
  if (!type_message || !space_message) {
    throw KeyError(objects.bytes().name() + " has no array '" + path + "'.");
  }
  hdf5::ElementType type = hdf5::parse_type(hdf5::Cursor(objects.bytes(), *type_message));
  // Keras writes bfloat16 as two bytes without meaning, and names the type in an attribute.
  if (type.opaque && type.size == 2 &&
      texts_of(objects, *messages, "dtype") == std::vector<std::string>{"bfloat16"}) {
    type.dtype = DType::bfloat16;
  }
  if (!type.dtype) {
    throw ValueError(file_->where(path) + ": its elements are no numbers that a tensor can hold.");
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
    // Other bytes than 0 and 1 are no bool in C++.
    for (char& byte : bytes) byte = byte != 0 ? 1 : 0;
  }
  Tensor result = Tensor::empty(*type.dtype, space.shape);
  if (!bytes.empty()) std::memcpy(result.mutable_data(), bytes.data(), bytes.size());
  return result;
}

std::optional<std::string> Hdf5Reader::text_attribute(const std::string& path,
                                                      const std::string& name) const {
  const auto messages = file_->messages(path);
  if (!messages) return {};
  auto texts = texts_of(file_->objects, *messages, name);
  if (!texts || texts->size() != 1) return {};
  return std::move(texts->front());
}

std::optional<std::vector<std::string>> Hdf5Reader::text_list_attribute(
    const std::string& path, const std::string& name) const {
  const auto messages = file_->messages(path);
  if (!messages) return {};
  auto texts = texts_of(file_->objects, *messages, name);
  if (texts) return texts;
  std::vector<std::string> all;
  for (int part = 0;; ++part) {
    const auto more = texts_of(file_->objects, *messages, name + std::to_string(part));
    if (!more) {
      if (part == 0) return {};
      return all;
    }
    all.insert(all.end(), more->begin(), more->end());
  }
}

}  // namespace antler::io
