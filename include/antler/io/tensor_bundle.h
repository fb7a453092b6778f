#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"

/// TensorFlow's checkpoint files ("tensor bundles"): `PREFIX.index`, a sorted table of keys, and
/// `PREFIX.data-00000-of-0000N`, the data.
namespace antler::io {

class ByteFile;

using BundleValue = std::variant<Tensor, StringTensor>;
using BundleEntries = std::map<std::string, BundleValue>;

/// Reads a bundle. The index is read at once, arrays on demand.
class TensorBundle {
 public:
  /// Throws NotFoundError if there is no `prefix`.index, IOError if it is corrupt.
  static TensorBundle open(const std::string& prefix);
  /// The same from the bytes of the files.
  static TensorBundle parse(std::string_view index, std::vector<std::string> shards);

  /// Sorted by their bytes.
  std::vector<std::string> keys() const;
  bool contains(const std::string& key) const { return entries_.contains(key); }
  /// Whether the array holds strings (or a dtype that tensors do not have).
  bool is_string(const std::string& key) const { return !entry(key).dtype; }
  /// The dtype of an array of numbers. Throws ValueError for strings; KeyError for an unknown key.
  DType dtype(const std::string& key) const;
  /// Throws KeyError for an unknown key.
  const Shape& shape(const std::string& key) const { return entry(key).shape; }
  /// Throws KeyError; ValueError for strings, for a dtype that tensors do not have, and for a
  /// variable that was saved in slices; IOError if bytes are missing or the checksum does not
  /// match.
  Tensor read(const std::string& key) const;
  /// The same for strings.
  StringTensor read_text(const std::string& key) const;

 private:
  struct Entry {
    std::optional<DType> dtype;  // nullopt for strings
    int64_t tf_type = 0;
    Shape shape;
    int64_t shard = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint32_t crc = 0;
    bool sliced = false;
  };
  using OpenShard = std::function<std::shared_ptr<const ByteFile>(int64_t shard)>;

  void parse_index(std::string_view index);
  static Entry parse_entry(std::string_view value);
  const Entry& entry(const std::string& key) const;
  /// The shard that holds an array. Throws IOError if it is too short.
  std::shared_ptr<const ByteFile> shard_of(const std::string& key, const Entry& entry) const;

  std::map<std::string, Entry> entries_;
  OpenShard open_shard_;
  int64_t num_shards_ = 0;
};

/// Writes a bundle of one shard. Both files are written under temporary names. The index is renamed
/// last because readers find a bundle by it. Throws IOError; NotFoundError for a folder that does
/// not exist.
void save_tensor_bundle(const std::string& prefix, const BundleEntries& entries);

}  // namespace antler::io
