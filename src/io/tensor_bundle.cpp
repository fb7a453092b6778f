#include "antler/io/tensor_bundle.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "io/crc32c.h"
#include "io/little_endian.h"
#include "io/sorted_table.h"
#include "io/tf_data_type.h"
#include "io/varint.h"
#include "io/wire.h"
#include "io/wire_reader.h"

namespace antler::io {
namespace {

static_assert(std::endian::native == std::endian::little, "Bundles hold little-endian numbers.");

constexpr const char* kIndexName = "The index of a checkpoint";
// BundleHeaderProto
constexpr int kHeaderNumShards = 1;
constexpr int kHeaderEndianness = 2;
constexpr int kHeaderVersion = 3;
// BundleEntryProto
constexpr int kEntryDtype = 1;
constexpr int kEntryShape = 2;
constexpr int kEntryShardId = 3;
constexpr int kEntryOffset = 4;
constexpr int kEntrySize = 5;
constexpr int kEntryCrc = 6;
constexpr int kEntrySlices = 7;

constexpr int kMaxBundleDims = 254;

[[noreturn]] void bad_bundle(const std::string& what) {
  throw IOError("The checkpoint is damaged: " + what + ".");
}

Shape parse_shape(WireReader reader) {
  std::vector<int64_t> dims;
  while (reader.next()) {
    if (reader.field() != 2) continue;
    int64_t size = 0;
    for (WireReader dim = reader.message(); dim.next();) {
      if (dim.field() == 1) size = dim.integer();
    }
    if (size < 0 || dims.size() == kMaxBundleDims) bad_bundle("a shape is impossible");
    dims.push_back(size);
  }
  return Shape(dims);
}

WireWriter shape_message(const Shape& shape) {
  WireWriter message;
  for (const int64_t size : shape) {
    WireWriter dim;
    dim.integer(1, size);
    message.message(2, dim);
  }
  return message;
}

/// Elements of a shape; bad_bundle() where that is no number.
uint64_t elements_of(const Shape& shape, uint64_t element_bytes) {
  uint64_t bytes = element_bytes;
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) {
      bad_bundle("a shape is too large");
    }
  }
  return bytes;
}

std::string shard_path(const std::string& prefix, int64_t shard, int64_t count) {
  char suffix[64];
  std::snprintf(suffix, sizeof suffix, ".data-%05lld-of-%05lld", static_cast<long long>(shard),
                static_cast<long long>(count));
  return prefix + suffix;
}

std::string read_range(const std::string& path, uint64_t offset, uint64_t size) {
  std::error_code error;
  const uint64_t available = std::filesystem::file_size(path, error);
  if (error) throw NotFoundError("There is no checkpoint file " + path + ".");
  if (offset > available || size > available - offset) bad_bundle(path + " is cut off");
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!file.seekg(static_cast<std::streamoff>(offset)) ||
      !file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    throw IOError("Cannot read the checkpoint file " + path + ".");
  }
  return bytes;
}

uint32_t extend_by_length(uint32_t crc, uint64_t length) {
  std::string bytes;
  if (length <= UINT32_MAX) {
    append_little_endian(bytes, static_cast<uint32_t>(length));
  } else {
    append_little_endian(bytes, length);
  }
  return extend_crc32c(crc, bytes);
}

/// Texts as a shard has them: their lengths, a checksum of those, their bytes.
std::string format_texts(const StringTensor& texts, uint32_t& crc) {
  std::string bytes;
  crc = 0;
  for (const std::string& text : texts.values) {
    append_varint(bytes, text.size());
    crc = extend_by_length(crc, text.size());
  }
  std::string checksum;
  append_little_endian(checksum, mask_crc32c(crc));
  bytes += checksum;
  crc = extend_crc32c(crc, checksum);
  for (const std::string& text : texts.values) {
    bytes += text;
    crc = extend_crc32c(crc, text);
  }
  return bytes;
}

}  // namespace

void TensorBundle::parse_index(std::string_view index) {
  for (const auto& [key, value] : parse_table(index)) {
    if (!key.empty()) {
      entries_[key] = parse_entry(value);
      continue;
    }
    for (WireReader header(value, kIndexName); header.next();) {
      if (header.field() == kHeaderNumShards) num_shards_ = header.integer();
      if (header.field() == kHeaderEndianness && header.integer() != 0) {
        throw ValueError("The checkpoint was written on a big-endian machine.");
      }
    }
  }
  if (num_shards_ < 1) bad_bundle("its index has no header");
}

TensorBundle::Entry TensorBundle::parse_entry(std::string_view value) {
  Entry entry;
  for (WireReader reader(value, kIndexName); reader.next();) {
    switch (reader.field()) {
      case kEntryDtype:
        entry.tf_type = reader.integer();
        entry.dtype = dtype_of_tf(entry.tf_type);
        break;
      case kEntryShape:
        entry.shape = parse_shape(reader.message());
        break;
      case kEntryShardId:
        entry.shard = reader.integer();
        break;
      case kEntryOffset:
        entry.offset = static_cast<uint64_t>(reader.integer());
        break;
      case kEntrySize:
        entry.size = static_cast<uint64_t>(reader.integer());
        break;
      case kEntryCrc:
        entry.crc = reader.fixed32();
        break;
      case kEntrySlices:
        entry.sliced = true;
        break;
      default:
        break;
    }
  }
  return entry;
}

TensorBundle TensorBundle::open(const std::string& prefix) {
  TensorBundle bundle;
  bundle.parse_index(read_file(prefix + ".index"));
  const int64_t count = bundle.num_shards_;
  bundle.read_shard_ = [prefix, count](int64_t shard, uint64_t offset, uint64_t size) {
    return read_range(shard_path(prefix, shard, count), offset, size);
  };
  return bundle;
}

TensorBundle TensorBundle::parse(std::string_view index, std::vector<std::string> shards) {
  TensorBundle bundle;
  bundle.parse_index(index);
  auto all = std::make_shared<const std::vector<std::string>>(std::move(shards));
  bundle.read_shard_ = [all](int64_t shard, uint64_t offset, uint64_t size) {
    if (shard < 0 || static_cast<size_t>(shard) >= all->size()) bad_bundle("a file is missing");
    const std::string& bytes = (*all)[static_cast<size_t>(shard)];
    if (offset > bytes.size() || size > bytes.size() - offset) bad_bundle("a file is cut off");
    return bytes.substr(offset, size);
  };
  return bundle;
}

std::vector<std::string> TensorBundle::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, entry] : entries_) names.push_back(key);
  return names;
}

const TensorBundle::Entry& TensorBundle::entry(const std::string& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) throw KeyError("The checkpoint has no array '" + key + "'.");
  return found->second;
}

std::string TensorBundle::bytes_of(const std::string& key, const Entry& entry) const {
  if (entry.sliced) {
    throw ValueError("The array '" + key +
                     "' of the checkpoint was saved in slices, which cannot be read.");
  }
  return read_shard_(entry.shard, entry.offset, entry.size);
}

Tensor TensorBundle::read(const std::string& key) const {
  const Entry& e = entry(key);
  if (!e.dtype) {
    throw ValueError("The array '" + key + "' of the checkpoint has TensorFlow's dtype number " +
                     std::to_string(e.tf_type) + ", which tensors do not have.");
  }
  if (elements_of(e.shape, dtype_size(*e.dtype)) != e.size && !e.sliced) {
    bad_bundle("'" + key + "' does not have the bytes of its shape");
  }
  const std::string bytes = bytes_of(key, e);
  if (!checksum_fits(e.crc, masked_crc32c(bytes))) {
    bad_bundle("the checksum of '" + key + "' does not match");
  }
  Tensor array = Tensor::empty(*e.dtype, e.shape);
  if (!bytes.empty()) std::memcpy(array.mutable_data(), bytes.data(), bytes.size());
  return array;
}

StringTensor TensorBundle::read_text(const std::string& key) const {
  const Entry& e = entry(key);
  if (e.tf_type != kTfString) {
    throw ValueError("The array '" + key + "' of the checkpoint does not hold texts.");
  }
  const std::string bytes = bytes_of(key, e);
  const uint64_t count = elements_of(e.shape, 1);
  if (count > bytes.size()) bad_bundle("'" + key + "' does not have the texts of its shape");
  std::string_view rest = bytes;
  std::vector<uint64_t> lengths;
  uint32_t crc = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const auto length = take_varint(rest);
    if (!length) bad_bundle("'" + key + "' is cut off");
    lengths.push_back(*length);
    crc = extend_by_length(crc, *length);
  }
  if (rest.size() < sizeof(uint32_t) ||
      !checksum_fits(read_little_endian<uint32_t>(rest), mask_crc32c(crc))) {
    bad_bundle("the checksum of the lengths of '" + key + "' does not match");
  }
  crc = extend_crc32c(crc, rest.substr(0, sizeof(uint32_t)));
  rest.remove_prefix(sizeof(uint32_t));
  StringTensor texts;
  texts.shape = e.shape;
  for (const uint64_t length : lengths) {
    if (length > rest.size()) bad_bundle("'" + key + "' is cut off");
    texts.values.emplace_back(rest.substr(0, length));
    crc = extend_crc32c(crc, texts.values.back());
    rest.remove_prefix(length);
  }
  if (!rest.empty() || !checksum_fits(e.crc, mask_crc32c(crc))) {
    bad_bundle("the checksum of '" + key + "' does not match");
  }
  return texts;
}

void save_tensor_bundle(const std::string& prefix, const BundleEntries& entries) {
  AtomicFile data(shard_path(prefix, 0, 1));
  AtomicFile index(prefix + ".index");
  std::ofstream shard(data.temporary_path(), std::ios::binary);
  if (!shard) throw IOError("Cannot create '" + data.temporary_path() + "'.");
  TableEntries table;
  WireWriter version;
  version.integer(1, 1);
  WireWriter header;
  header.integer(kHeaderNumShards, 1);
  header.message(kHeaderVersion, version);
  table.emplace_back("", header.str());
  uint64_t offset = 0;
  for (const auto& [key, value] : entries) {
    const auto* texts = std::get_if<StringTensor>(&value);
    const auto* array = std::get_if<Tensor>(&value);
    uint32_t crc = 0;
    std::string own;
    std::string_view bytes;
    if (texts != nullptr) {
      own = format_texts(*texts, crc);
      bytes = own;
    } else {
      bytes = {static_cast<const char*>(array->data()), array->bytes()};
      crc = crc32c(bytes);
    }
    WireWriter entry;
    entry.integer(kEntryDtype, texts != nullptr ? kTfString : tf_data_type(array->dtype()));
    entry.message(kEntryShape, shape_message(texts != nullptr ? texts->shape : array->shape()));
    entry.integer(kEntryOffset, static_cast<int64_t>(offset));
    entry.integer(kEntrySize, static_cast<int64_t>(bytes.size()));
    entry.fixed32(kEntryCrc, mask_crc32c(crc));
    table.emplace_back(key, entry.str());
    shard.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    offset += bytes.size();
  }
  shard.close();
  if (!shard) throw IOError("Writing '" + data.temporary_path() + "' failed.");
  std::ofstream table_file(index.temporary_path(), std::ios::binary);
  table_file << format_table(table);
  table_file.close();
  if (!table_file) throw IOError("Writing '" + index.temporary_path() + "' failed.");
  data.commit();
  index.commit();
}

}  // namespace antler::io
