#include "io/hdf5_array.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "antler/base/error.h"

namespace antler::io::hdf5 {
namespace {

/// Deflate cannot do better than 1032 to 1; what claims more is made to fill memory.
constexpr uint64_t kMaxRatio = 1032;
constexpr int kMaxLevels = 32;
// Filters.
constexpr uint32_t kDeflate = 1;
constexpr uint32_t kShuffle = 2;
constexpr uint32_t kFletcher = 3;

struct Filter {
  uint32_t id = 0;
  uint32_t first_value = 0;
};

std::vector<Filter> parse_filters(const Objects& file, const Messages& messages) {
  const Message* message = find_message(file.bytes(), messages, kFilters);
  if (message == nullptr) return {};
  Cursor cursor(file.bytes(), message->data);
  const uint32_t version = cursor.u8();
  if (version != 1 && version != 2) file.bytes().damaged("a list of filters");
  const uint32_t count = cursor.u8();
  if (version == 1) cursor.skip(6);
  std::vector<Filter> filters;
  for (uint32_t i = 0; i < count; ++i) {
    Filter filter;
    filter.id = cursor.u16();
    const uint64_t name = version == 1 || filter.id >= 256 ? cursor.u16() : 0;
    cursor.skip(2);
    const uint64_t values = cursor.u16();
    cursor.skip(version == 1 ? (name + 7) / 8 * 8 : name);
    for (uint64_t v = 0; v < values; ++v) {
      const uint32_t value = cursor.u32();
      if (v == 0) filter.first_value = value;
    }
    if (version == 1 && values % 2 == 1) cursor.skip(4);
    if (filter.id != kDeflate && filter.id != kShuffle && filter.id != kFletcher) {
      file.bytes().unknown("an array with the compression number " + std::to_string(filter.id));
    }
    filters.push_back(filter);
  }
  return filters;
}

std::string inflated(const FileBytes& file, const std::string& bytes, uint64_t max_bytes) {
  std::string result(max_bytes, '\0');
  uLongf size = max_bytes;
  if (uncompress(reinterpret_cast<Bytef*>(result.data()), &size,
                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != Z_OK) {
    file.damaged("a compressed part of an array");
  }
  result.resize(size);
  return result;
}

/// The first bytes of all elements, then the second ones, ...: back to elements.
std::string unshuffled(const std::string& bytes, uint64_t size) {
  if (size < 2) return bytes;
  const uint64_t count = bytes.size() / size;
  std::string result = bytes;  // what is left over behind the elements stays
  for (uint64_t b = 0; b < size; ++b) {
    for (uint64_t i = 0; i < count; ++i) result[i * size + b] = bytes[b * count + i];
  }
  return result;
}

/// HDF5's form of the checksum: over words of two bytes, the higher one first.
uint32_t fletcher32(std::string_view bytes) {
  uint32_t first = 0;
  uint32_t second = 0;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const uint32_t high = static_cast<uint8_t>(bytes[i]);
    const uint32_t low = i + 1 < bytes.size() ? static_cast<uint8_t>(bytes[i + 1]) : 0;
    first = (first + (high << 8 | low)) % 65535;
    second = (second + first) % 65535;
  }
  // Zero and 65535 are one in this sum; HDF5 leaves the latter.
  const auto folded = [](uint32_t sum) { return sum == 0 ? 65535U : sum; };
  return folded(second) << 16 | folded(first);
}

bool same_fletcher32(uint32_t stored, uint32_t right) {
  const auto folded = [](uint32_t sum) { return (sum & 0xFFFF) == 0 ? sum | 0xFFFF : sum; };
  const auto both = [&](uint32_t sum) { return folded(sum >> 16) << 16 | folded(sum & 0xFFFF); };
  return both(stored) == both(right);
}

/// Parts of equal size that an array is cut into.
class Chunks {
 public:
  Chunks(const Objects& file, const Messages& messages, const Shape& shape, uint64_t size,
         std::vector<uint64_t> dims)
      : file_(file),
        filters_(parse_filters(file, messages)),
        shape_(shape.begin(), shape.end()),
        size_(size),
        dims_(std::move(dims)) {
    const uint64_t limit = file.bytes().size() * kMaxRatio;
    uint64_t filled = size;
    chunk_bytes_ = size;
    for (size_t i = 0; i < dims_.size(); ++i) {
      if (dims_[i] == 0 || dims_[i] > limit) file.bytes().damaged("a part of an impossible size");
      const uint64_t count = (shape_[i] + dims_[i] - 1) / dims_[i];
      if (__builtin_mul_overflow(filled, std::max<uint64_t>(count, 1) * dims_[i], &filled) ||
          filled > limit) {
        file.bytes().damaged("an array is larger than the file can hold");
      }
      chunk_bytes_ *= dims_[i];
    }
    uint64_t bytes = size;
    for (const uint64_t dim : shape_) bytes *= dim;
    result_.assign(bytes, '\0');
  }

  /// A node of the tree that has the places of the chunks.
  void read_tree(uint64_t node, int level) {
    if (level > kMaxLevels || !nodes_.insert(node).second) {
      file_.bytes().damaged("the tree of an array contains itself");
    }
    const std::string head = file_.at(node, 8 + 2 * file_.offset_size());
    Cursor start(file_.bytes(), head);
    if (start.take(4) != "TREE" || start.u8() != 1) file_.bytes().damaged("the tree of an array");
    const bool leaf = start.u8() == 0;
    const uint64_t count = start.u16();
    const uint64_t key = 8 + 8 * (dims_.size() + 1);
    const std::string entries = file_.at(node + head.size(), count * (key + file_.offset_size()));
    Cursor cursor(file_.bytes(), entries);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t bytes = cursor.u32();
      const uint32_t skipped = cursor.u32();
      std::vector<uint64_t> first;
      for (size_t d = 0; d < dims_.size(); ++d) first.push_back(cursor.number(8));
      cursor.skip(8);
      const uint64_t child = file_.address(cursor);
      if (leaf) {
        add(first, file_.at(child, bytes), skipped);
      } else {
        read_tree(child, level + 1);
      }
    }
  }

  /// The only chunk there is, or one of several that lie in order. A bit of `skipped` is a filter
  /// that was not used.
  void add(const std::vector<uint64_t>& first, std::string bytes, uint32_t skipped) {
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (first[d] % dims_[d] != 0 || first[d] >= shape_[d]) {
        file_.bytes().damaged("a part of an array lies outside");
      }
    }
    if (!seen_.insert(first).second) file_.bytes().damaged("a part of an array is there twice");
    for (size_t f = filters_.size(); f-- > 0;) {
      if (f < 32 && (skipped >> f & 1) != 0) continue;
      bytes = without(filters_[f], std::move(bytes));
    }
    if (bytes.size() != chunk_bytes_) file_.bytes().damaged("a part of an array has another size");
    copy(first, bytes);
  }

  std::string finish(bool allow_missing) {
    uint64_t count = 1;
    for (size_t d = 0; d < dims_.size(); ++d) count *= (shape_[d] + dims_[d] - 1) / dims_[d];
    if (count > 0 && (seen_.empty() || (seen_.size() != count && !allow_missing))) {
      file_.bytes().damaged("the data of an array is missing");
    }
    return std::move(result_);
  }

 private:
  std::string without(const Filter& filter, std::string bytes) const {
    if (filter.id == kShuffle) return unshuffled(bytes, filter.first_value);
    // A checksum may have been put before it was compressed.
    if (filter.id == kDeflate) return inflated(file_.bytes(), bytes, chunk_bytes_ + 64);
    if (bytes.size() < 4) file_.bytes().damaged("a part of an array has no checksum");
    const uint64_t data = bytes.size() - 4;
    Cursor stored(file_.bytes(), std::string_view(bytes).substr(data));
    if (!same_fletcher32(stored.u32(), fletcher32(std::string_view(bytes).substr(0, data)))) {
      file_.bytes().damaged("the checksum of a part of an array does not match");
    }
    bytes.resize(data);
    return bytes;
  }

  /// Row by row; at the edges a chunk is larger than what is left of the array.
  void copy(const std::vector<uint64_t>& first, const std::string& bytes) {
    if (result_.empty()) return;
    if (dims_.empty()) {
      std::memcpy(result_.data(), bytes.data(), size_);
      return;
    }
    const size_t last = dims_.size() - 1;
    const uint64_t row = std::min(dims_[last], shape_[last] - first[last]) * size_;
    std::vector<uint64_t> index(dims_.size(), 0);
    for (;;) {
      uint64_t from = 0;
      uint64_t to = 0;
      for (size_t d = 0; d <= last; ++d) {
        from = from * dims_[d] + index[d];
        to = to * shape_[d] + first[d] + index[d];
      }
      std::memcpy(result_.data() + to * size_, bytes.data() + from * size_, row);
      size_t d = last;
      while (d-- > 0) {
        if (++index[d] < std::min(dims_[d], shape_[d] - first[d])) break;
        index[d] = 0;
      }
      if (d == static_cast<size_t>(-1)) return;
    }
  }

  const Objects& file_;
  std::vector<Filter> filters_;
  std::vector<uint64_t> shape_;
  uint64_t size_;
  std::vector<uint64_t> dims_;
  uint64_t chunk_bytes_ = 0;
  std::string result_;
  std::set<uint64_t> nodes_;
  std::set<std::vector<uint64_t>> seen_;
};

/// Whether elements that were never written are zeros.
bool fills_with_zeros(const Objects& file, const Messages& messages) {
  const Message* message = find_message(file.bytes(), messages, kFillValue);
  if (message == nullptr) return true;
  Cursor cursor(file.bytes(), message->data);
  const uint32_t version = cursor.u8();
  bool defined = true;
  if (version < 3) {
    cursor.skip(2);
    defined = cursor.u8() != 0;
  } else {
    defined = (cursor.u8() & 0x20) != 0;
  }
  if (!defined || cursor.left() < 4) return true;
  const uint64_t size = cursor.u32();
  const std::string_view value = cursor.take(std::min(size, cursor.left()));
  return value.find_first_not_of('\0') == std::string_view::npos;
}

struct Layout {
  const Objects& file;
  const Messages& messages;
  const Shape& shape;
  uint64_t size;
  uint64_t bytes;  // of all elements

  std::string contiguous(uint64_t address) const {
    if (bytes == 0) return "";
    if (file.is_undefined(address)) file.bytes().damaged("the data of an array is missing");
    return file.at(address, bytes);
  }

  std::string compact(std::string_view data) const {
    if (data.size() < bytes) file.bytes().damaged("the data of an array is cut off");
    return std::string(data.substr(0, bytes));
  }

  /// Sizes of a chunk; the last one is that of an element.
  std::vector<uint64_t> chunk_dims(Cursor& cursor, uint64_t rank, uint64_t width) const {
    if (rank != static_cast<uint64_t>(shape.rank()) + 1) {
      file.bytes().damaged("the parts of an array have another rank");
    }
    std::vector<uint64_t> dims;
    for (uint64_t i = 0; i < rank; ++i) dims.push_back(cursor.number(width));
    if (dims.back() != size) file.bytes().damaged("the parts of an array have other elements");
    dims.pop_back();
    return dims;
  }

  std::string by_tree(uint64_t address, std::vector<uint64_t> dims) const {
    Chunks chunks(file, messages, shape, size, std::move(dims));
    if (!file.is_undefined(address)) chunks.read_tree(address, 0);
    return chunks.finish(fills_with_zeros(file, messages));
  }

  /// Before HDF5 1.6.
  std::string oldest(Cursor cursor) const {
    const uint64_t rank = cursor.u8();
    const uint32_t kind = cursor.u8();
    cursor.skip(5);
    const uint64_t address = kind == 0 ? 0 : file.address(cursor);
    if (kind == 2) return by_tree(address, chunk_dims(cursor, rank, 4));
    for (uint64_t i = 0; i < rank; ++i) cursor.skip(4);
    return kind == 0 ? compact(cursor.take(cursor.u32())) : contiguous(address);
  }

  std::string read(Cursor cursor) const {
    const uint32_t version = cursor.u8();
    if (version < 3) return oldest(cursor);
    if (version > 4)
      file.bytes().unknown("an array in a layout of version " + std::to_string(version));
    const uint32_t kind = cursor.u8();
    if (kind == 0) return compact(cursor.take(cursor.u16()));
    if (kind == 1) return contiguous(file.address(cursor));
    if (kind != 2) file.bytes().unknown("an array that is put together from others");
    if (version == 3) {
      const uint64_t rank = cursor.u8();
      const uint64_t address = file.address(cursor);
      return by_tree(address, chunk_dims(cursor, rank, 4));
    }
    const uint32_t flags = cursor.u8();
    const uint64_t rank = cursor.u8();
    std::vector<uint64_t> dims = chunk_dims(cursor, rank, std::min<uint64_t>(cursor.u8(), 8));
    if (cursor.u8() != 1) {
      file.bytes().unknown("an array with parts in the latest format (h5py's libver=\"latest\")");
    }
    // The only chunk.
    Chunks chunks(file, messages, shape, size, dims);
    uint64_t stored = size;
    for (const uint64_t dim : dims) stored *= dim;
    uint32_t skipped = 0;
    if ((flags & 2) != 0) {
      stored = file.length(cursor);
      skipped = cursor.u32();
    }
    const uint64_t address = file.address(cursor);
    if (bytes > 0 && !file.is_undefined(address)) {
      chunks.add(std::vector<uint64_t>(dims.size(), 0), file.at(address, stored), skipped);
    }
    return chunks.finish(false);
  }
};

}  // namespace

std::string read_elements(const Objects& file, const Messages& messages, const Shape& shape,
                          uint64_t size) {
  const Message* layout = find_message(file.bytes(), messages, kLayout);
  if (layout == nullptr) file.bytes().damaged("an array has no data");
  const uint64_t limit = file.bytes().size() * kMaxRatio;
  uint64_t bytes = size;
  bool empty = false;
  for (const int64_t dim : shape) {
    empty = empty || dim == 0;
    if (dim != 0 &&
        (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes) || bytes > limit)) {
      file.bytes().damaged("an array is larger than the file can hold");
    }
  }
  if (empty) return "";
  return Layout{file, messages, shape, size, bytes}.read(Cursor(file.bytes(), layout->data));
}

}  // namespace antler::io::hdf5
