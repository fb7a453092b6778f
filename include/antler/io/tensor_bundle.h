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

/// TensorFlow's checkpoint files, "tensor bundles": `PREFIX.index`, a sorted table of keys, and
/// `PREFIX.data-00000-of-0000N`, the bytes.
namespace antler::io {

/// An array of a bundle, by key.
using BundleValue = std::variant<Tensor, StringTensor>;
using BundleEntries = std::map<std::string, BundleValue>;

/// Reads a bundle. The index is read at once, an array when it is asked for.
class TensorBundle {
 public:
  /// Throws NotFoundError where there is no `prefix`.index, IOError for a damaged one.
  static TensorBundle open(const std::string& prefix);
  /// The same from the bytes of the files.
  static TensorBundle parse(std::string_view index, std::vector<std::string> shards);

  /// In order of their bytes.
  std::vector<std::string> keys() const;
  bool contains(const std::string& key) const { return entries_.contains(key); }
  bool is_text(const std::string& key) const { return !entry(key).dtype; }
  /// Throws KeyError for a key that there is not.
  const Shape& shape(const std::string& key) const { return entry(key).shape; }
  /// Throws KeyError; ValueError for texts, for a dtype that tensors do not have, and for a
  /// variable that was saved in slices; IOError where the bytes are missing or their checksum does
  /// not match.
  Tensor read(const std::string& key) const;
  /// The same for texts.
  StringTensor read_text(const std::string& key) const;

 private:
  struct Entry {
    std::optional<DType> dtype;  // none for texts
    int64_t tf_type = 0;
    Shape shape;
    int64_t shard = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint32_t crc = 0;
    bool sliced = false;
  };
  /// `size` bytes of a shard from `offset` on.
  using ReadShard = std::function<std::string(int64_t shard, uint64_t offset, uint64_t size)>;

  void parse_index(std::string_view index);
  static Entry parse_entry(std::string_view value);
  const Entry& entry(const std::string& key) const;
  std::string bytes_of(const std::string& key, const Entry& entry) const;

  std::map<std::string, Entry> entries_;
  ReadShard read_shard_;
  int64_t num_shards_ = 0;
};

/// Writes a bundle of one shard. Both files are written under temporary names; the index, by which
/// readers find a bundle, is renamed last. Throws IOError, NotFoundError for a folder that does not
/// exist.
void save_tensor_bundle(const std::string& prefix, const BundleEntries& entries);

}  // namespace antler::io
