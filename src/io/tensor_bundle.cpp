#include "antler/io/tensor_bundle.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "io/byte_file.h"
#include "io/crc32c.h"
#include "io/little_endian.h"
#include "io/sorted_table.h"
#include "io/tf_data_type.h"
#include "io/tf_tensor.h"
#include "io/varint.h"

namespace antler::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored in little-endian order");

constexpr const char* kIndexName = "The index of a checkpoint";
// Field numbers of BundleHeaderProto.
constexpr int kHeaderNumShards = 1;
constexpr int kHeaderEndianness = 2;
constexpr int kHeaderVersion = 3;
// Field numbers of BundleEntryProto.
constexpr int kEntryDtype = 1;
constexpr int kEntryShape = 2;
constexpr int kEntryShardId = 3;
constexpr int kEntryOffset = 4;
constexpr int kEntrySize = 5;
constexpr int kEntryCrc = 6;
constexpr int kEntrySlices = 7;

[[noreturn]] void bad_bundle(const std::string& what) {
  throw IOError("The checkpoint is corrupt: {}.", what);
}

/// Bytes of an array of this shape. Throws IOError on overflow.
uint64_t checked_size(const Shape& shape, uint64_t element_bytes) {
  uint64_t bytes = element_bytes;
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) {
      bad_bundle("a shape is too large");
    }
  }
  return bytes;
}

std::string shard_path(const std::string& prefix, int64_t shard, int64_t count) {
  return format("{}.data-{:05}-of-{:05}", prefix, shard, count);
}

[[noreturn]] void fail_to(const char* what, const AtomicFile& file) {
  throw IOError("Cannot {} '{}': {}.", what, file.temporary_path(), std::strerror(errno));
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

/// The bytes of strings in a shard: their lengths, a checksum of the lengths, and their bytes.
std::string format_strings(const StringTensor& strings, uint32_t& crc) {
  std::string bytes;
  crc = 0;
  for (const std::string& string : strings.values) {
    append_varint(bytes, string.size());
    crc = extend_by_length(crc, string.size());
  }
  std::string checksum;
  append_little_endian(checksum, mask_crc32c(crc));
  bytes += checksum;
  crc = extend_crc32c(crc, checksum);
  for (const std::string& string : strings.values) {
    bytes += string;
    crc = extend_crc32c(crc, string);
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
        entry.shape = parse_shape(reader.message(), kIndexName);
        if (!entry.shape.is_known()) bad_bundle("a dimension is negative");
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
  bundle.open_shard_ = [prefix, count](int64_t shard) {
    return std::make_shared<const ByteFile>(ByteFile::open(shard_path(prefix, shard, count)));
  };
  return bundle;
}

TensorBundle TensorBundle::parse(std::string_view index, std::vector<std::string> shards) {
  TensorBundle bundle;
  bundle.parse_index(index);
  std::vector<std::shared_ptr<const ByteFile>> files;
  files.reserve(shards.size());
  for (std::string& shard : shards)
    files.push_back(std::make_shared<const ByteFile>(std::move(shard), "a shard"));
  bundle.open_shard_ = [files = std::move(files)](int64_t shard) {
    if (shard < 0 || static_cast<size_t>(shard) >= files.size()) bad_bundle("a shard is missing");
    return files[static_cast<size_t>(shard)];
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
  if (found == entries_.end()) throw KeyError("The checkpoint has no array '{}'.", key);
  return found->second;
}

DType TensorBundle::dtype(const std::string& key) const {
  const Entry& e = entry(key);
  if (!e.dtype) throw ValueError("The array '{}' of the checkpoint is not numeric.", key);
  return *e.dtype;
}

std::shared_ptr<const ByteFile> TensorBundle::shard_of(const std::string& key,
                                                       const Entry& entry) const {
  if (entry.sliced) {
    throw ValueError(
        "The array '{}' of the checkpoint was saved in slices, which is not supported.", key);
  }
  std::shared_ptr<const ByteFile> file = open_shard_(entry.shard);
  if (entry.offset > file->size() || entry.size > file->size() - entry.offset)
    bad_bundle(file->name() + " is truncated");
  return file;
}

Tensor TensorBundle::read(const std::string& key) const {
  const Entry& e = entry(key);
  if (!e.dtype) {
    throw ValueError(
        "The array '{}' of the checkpoint has TensorFlow's dtype number {}, which tensors do not "
        "have.",
        key, e.tf_type);
  }
  if (checked_size(e.shape, dtype_size(*e.dtype)) != e.size && !e.sliced) {
    bad_bundle(format("the size of '{}' does not match its shape", key));
  }
  const auto shard = shard_of(key, e);
  Tensor array = Tensor::empty(*e.dtype, e.shape);
  if (e.size > 0) shard->read_into(array.mutable_data(), e.offset, e.size);
  const std::string_view bytes(static_cast<const char*>(array.data()), e.size);
  if (!checksum_fits(e.crc, masked_crc32c(bytes))) {
    bad_bundle(format("the checksum of '{}' does not match", key));
  }
  return array;
}

StringTensor TensorBundle::read_text(const std::string& key) const {
  const Entry& e = entry(key);
  if (e.tf_type != kTfString) {
    throw ValueError("The array '{}' of the checkpoint does not have strings.", key);
  }
  const std::string bytes = shard_of(key, e)->read(e.offset, e.size);
  const uint64_t count = checked_size(e.shape, 1);
  if (count > bytes.size()) bad_bundle(format("the size of '{}' does not match its shape", key));
  std::string_view rest = bytes;
  std::vector<uint64_t> lengths;
  uint32_t crc = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const auto length = take_varint(rest);
    if (!length) bad_bundle(format("'{}' is truncated", key));
    lengths.push_back(*length);
    crc = extend_by_length(crc, *length);
  }
  if (rest.size() < sizeof(uint32_t) ||
      !checksum_fits(read_little_endian<uint32_t>(rest), mask_crc32c(crc))) {
    bad_bundle(format("the checksum of the lengths of '{}' does not match", key));
  }
  crc = extend_crc32c(crc, rest.substr(0, sizeof(uint32_t)));
  rest.remove_prefix(sizeof(uint32_t));
  StringTensor strings;
  strings.shape = e.shape;
  for (const uint64_t length : lengths) {
    if (length > rest.size()) bad_bundle(format("'{}' is truncated", key));
    strings.values.emplace_back(rest.substr(0, length));
    crc = extend_crc32c(crc, strings.values.back());
    rest.remove_prefix(length);
  }
  if (!rest.empty() || !checksum_fits(e.crc, mask_crc32c(crc))) {
    bad_bundle(format("the checksum of '{}' does not match", key));
  }
  return strings;
}

void save_tensor_bundle(const std::string& prefix, const BundleEntries& entries) {
  AtomicFile data(shard_path(prefix, 0, 1));
  AtomicFile index(prefix + ".index");
  std::ofstream shard(data.temporary_path(), std::ios::binary);
  if (!shard) fail_to("create", data);
  TableEntries table;
  WireWriter version;
  version.integer(1, 1);
  WireWriter header;
  header.integer(kHeaderNumShards, 1);
  header.message(kHeaderVersion, version);
  table.emplace_back("", header.str());
  uint64_t offset = 0;
  for (const auto& [key, value] : entries) {
    const auto* strings = std::get_if<StringTensor>(&value);
    const auto* array = std::get_if<Tensor>(&value);
    uint32_t crc = 0;
    std::string own;
    std::string_view bytes;
    if (strings != nullptr) {
      own = format_strings(*strings, crc);
      bytes = own;
    } else {
      bytes = {static_cast<const char*>(array->data()), array->bytes()};
      crc = crc32c(bytes);
    }
    WireWriter entry;
    entry.integer(kEntryDtype, strings != nullptr ? kTfString : tf_data_type(array->dtype()));
    entry.message(kEntryShape, shape_message(strings != nullptr ? strings->shape : array->shape()));
    entry.integer(kEntryOffset, static_cast<int64_t>(offset));
    entry.integer(kEntrySize, static_cast<int64_t>(bytes.size()));
    entry.fixed32(kEntryCrc, mask_crc32c(crc));
    table.emplace_back(key, entry.str());
    shard.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    offset += bytes.size();
  }
  shard.close();
  if (!shard) fail_to("write", data);
  std::ofstream table_file(index.temporary_path(), std::ios::binary);
  table_file << format_table(table);
  table_file.close();
  if (!table_file) fail_to("write", index);
  data.commit();
  index.commit();
}

}  // namespace antler::io
