#include "io/hdf5_array.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "antler/base/format.h"
#include "io/hdf5_chunk_index.h"
#include "io/hdf5_filters.h"

namespace antler::io::hdf5 {
namespace {

/// Deflate's best compression ratio. A dataset that claims more is meant to exhaust memory.
constexpr uint64_t kMaxRatio = 1032;
constexpr int kMaxIndexLevels = 32;

/// Largest size of a dataset in bytes, so that a small file cannot exhaust memory.
uint64_t most_bytes(const Objects& file) {
  constexpr uint64_t kMaxUnwritten = uint64_t{1} << 26;
  return std::max(file.bytes().size() * kMaxRatio, kMaxUnwritten);
}

/// The bytes of elements that were never written; empty for zeros.
std::string fill_value(const Objects& file, const Messages& messages, uint64_t size) {
  const std::optional<std::string> message = find_message(file, messages, kFillValue);
  if (!message) return "";
  Cursor cursor(file.bytes(), *message);
  const uint32_t version = cursor.u8();
  bool defined = true;
  if (version < 3) {
    cursor.skip(2);
    defined = cursor.u8() != 0;
  } else {
    defined = (cursor.u8() & 0x20) != 0;
  }
  if (!defined || cursor.left() < 4) return "";
  if (cursor.u32() != size) return "";
  const std::string_view value = cursor.take(size);
  return std::string(value.find_first_not_of('\0') == std::string_view::npos ? "" : value);
}

std::string unwritten_elements(const Objects& file, const Messages& messages, uint64_t size,
                               uint64_t bytes) {
  std::string result(bytes, '\0');
  const std::string value = fill_value(file, messages, size);
  for (uint64_t at = 0; !value.empty() && at < bytes; at += size) {
    std::memcpy(result.data() + at, value.data(), size);
  }
  return result;
}

/// Assembles a dataset from its chunks.
class Chunks {
 public:
  Chunks(const Objects& file, const Messages& messages, const Space& space, uint64_t size,
         std::vector<uint64_t> dims)
      : file_(file), filters_(parse_filters(file, messages)), size_(size) {
    grid_.shape.assign(space.shape.begin(), space.shape.end());
    grid_.limits = space.limits;
    grid_.dims = std::move(dims);
    const uint64_t limit = most_bytes(file);
    uint64_t filled = size;
    grid_.chunk_bytes = size;
    uint64_t bytes = size;
    for (size_t i = 0; i < grid_.dims.size(); ++i) {
      if (grid_.dims[i] == 0 || grid_.dims[i] > limit) damaged("a chunk has an impossible size");
      const uint64_t count = (grid_.shape[i] + grid_.dims[i] - 1) / grid_.dims[i];
      if (__builtin_mul_overflow(filled, std::max<uint64_t>(count, 1) * grid_.dims[i], &filled) ||
          filled > limit) {
        damaged("a dataset is larger than the file can hold");
      }
      grid_.chunk_bytes *= grid_.dims[i];
      bytes *= grid_.shape[i];
    }
    result_ = unwritten_elements(file, messages, size, bytes);
  }

  /// Reads a node of the chunk index of files before the latest format, a B-tree of version 1.
  void read_tree(uint64_t node, int level) {
    if (level > kMaxIndexLevels || !nodes_.insert(node).second) {
      damaged("the chunk index of a dataset contains itself");
    }
    const std::string head = file_.at(node, 8 + 2 * file_.offset_size());
    Cursor start(file_.bytes(), head);
    if (start.take(4) != "TREE" || start.u8() != 1)
      damaged("the chunk index of a dataset is corrupt");
    const bool leaf = start.u8() == 0;
    const uint64_t count = start.u16();
    const uint64_t key = 8 + 8 * (grid_.dims.size() + 1);
    const std::string entries = file_.at(node + head.size(), count * (key + file_.offset_size()));
    Cursor cursor(file_.bytes(), entries);
    for (uint64_t i = 0; i < count; ++i) {
      ChunkPlace place;
      place.bytes = cursor.u32();
      place.skipped = cursor.u32();
      for (size_t d = 0; d < grid_.dims.size(); ++d) place.first.push_back(cursor.number(8));
      cursor.skip(8);
      place.address = file_.address(cursor);
      if (leaf) {
        add(place);
      } else {
        read_tree(place.address, level + 1);
      }
    }
  }

  /// Reads the chunk index of files in the latest format; arguments as in visit_chunks().
  void read_index(uint32_t flags, Cursor rest) {
    constexpr uint32_t kEdgesUnfiltered = 1;
    visit_chunks(file_, grid_, flags, rest, [&](ChunkPlace place) {
      if ((flags & kEdgesUnfiltered) != 0 && is_at_edge(place.first)) place.skipped = ~uint32_t{0};
      add(place);
    });
  }

  std::string finish() { return std::move(result_); }

 private:
  [[noreturn]] void damaged(const char* why) const { file_.bytes().damaged(why); }

  /// Whether a chunk extends beyond the dataset.
  bool is_at_edge(const std::vector<uint64_t>& first) const {
    for (size_t d = 0; d < first.size(); ++d) {
      if (first[d] + grid_.dims[d] > grid_.shape[d]) return true;
    }
    return false;
  }

  void add(const ChunkPlace& place) {
    for (size_t d = 0; d < grid_.dims.size(); ++d) {
      if (place.first[d] % grid_.dims[d] != 0 || place.first[d] >= grid_.shape[d]) {
        damaged("a chunk is outside its dataset");
      }
    }
    if (!seen_.insert(place.first).second) damaged("a chunk occurs twice");
    const std::string bytes = unfiltered(file_.bytes(), filters_, place.skipped,
                                         file_.at(place.address, place.bytes), grid_.chunk_bytes);
    copy(place.first, bytes);
  }

  /// Copies row by row, without what extends beyond the dataset.
  void copy(const std::vector<uint64_t>& first, const std::string& bytes) {
    if (result_.empty()) return;
    if (grid_.dims.empty()) {
      std::memcpy(result_.data(), bytes.data(), size_);
      return;
    }
    const size_t last = grid_.dims.size() - 1;
    const uint64_t row = std::min(grid_.dims[last], grid_.shape[last] - first[last]) * size_;
    std::vector<uint64_t> index(grid_.dims.size(), 0);
    for (;;) {
      uint64_t from = 0;
      uint64_t to = 0;
      for (size_t d = 0; d <= last; ++d) {
        from = from * grid_.dims[d] + index[d];
        to = to * grid_.shape[d] + first[d] + index[d];
      }
      std::memcpy(result_.data() + to * size_, bytes.data() + from * size_, row);
      size_t d = last;
      while (d-- > 0) {
        if (++index[d] < std::min(grid_.dims[d], grid_.shape[d] - first[d])) break;
        index[d] = 0;
      }
      if (d == static_cast<size_t>(-1)) return;
    }
  }

  const Objects& file_;
  std::vector<Filter> filters_;
  ChunkGrid grid_;
  uint64_t size_;
  std::string result_;
  std::set<uint64_t> nodes_;
  std::set<std::vector<uint64_t>> seen_;
};

struct Layout {
  const Objects& file;
  const Messages& messages;
  const Space& space;
  uint64_t size;
  uint64_t bytes;  // of all elements

  std::string contiguous(uint64_t address) const {
    if (!file.is_undefined(address)) return file.at(address, bytes);
    if (find_message(file, messages, kExternalFiles)) {
      file.bytes().unsupported("a dataset in external files");
    }
    return unwritten_elements(file, messages, size, bytes);
  }

  std::string compact(std::string_view data) const {
    if (data.size() < bytes) file.bytes().damaged("the data of a dataset is truncated");
    return std::string(data.substr(0, bytes));
  }

  /// Dimensions of a chunk. The file has the size of an element as the last one.
  std::vector<uint64_t> chunk_dims(Cursor& cursor, uint64_t rank, uint64_t width) const {
    if (rank != static_cast<uint64_t>(space.shape.rank()) + 1) {
      file.bytes().damaged("chunks do not have the rank of their dataset");
    }
    std::vector<uint64_t> dims;
    for (uint64_t i = 0; i < rank; ++i) dims.push_back(cursor.number(width));
    if (dims.back() != size)
      file.bytes().damaged("chunks do not have the elements of their dataset");
    dims.pop_back();
    return dims;
  }

  std::string by_tree(uint64_t address, std::vector<uint64_t> dims) const {
    Chunks chunks(file, messages, space, size, std::move(dims));
    if (!file.is_undefined(address)) chunks.read_tree(address, 0);
    return chunks.finish();
  }

  /// Layout messages from before HDF5 1.6.
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
    if (version > 5) file.bytes().unsupported(format("a dataset layout of version {}", version));
    const uint32_t kind = cursor.u8();
    if (kind == 0) return compact(cursor.take(cursor.u16()));
    if (kind == 1) return contiguous(file.address(cursor));
    if (kind != 2) file.bytes().unsupported("a virtual dataset");
    if (version == 3) {
      const uint64_t rank = cursor.u8();
      const uint64_t address = file.address(cursor);
      return by_tree(address, chunk_dims(cursor, rank, 4));
    }
    const uint32_t flags = cursor.u8();
    const uint64_t rank = cursor.u8();
    const uint64_t width = cursor.u8();
    Chunks chunks(file, messages, space, size,
                  chunk_dims(cursor, rank, std::min<uint64_t>(width, 8)));
    chunks.read_index(flags, cursor);
    return chunks.finish();
  }
};

}  // namespace

std::string read_elements(const Objects& file, const Messages& messages, const Space& space,
                          uint64_t size) {
  const std::optional<std::string> layout = find_message(file, messages, kLayout);
  if (!layout) file.bytes().damaged("a dataset has no layout");
  const uint64_t limit = most_bytes(file);
  uint64_t bytes = size;
  bool empty = false;
  for (const int64_t dim : space.shape) {
    empty = empty || dim == 0;
    if (dim != 0 &&
        (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes) || bytes > limit)) {
      file.bytes().damaged("a dataset is larger than the file can hold");
    }
  }
  if (empty) return "";
  return Layout{file, messages, space, size, bytes}.read(Cursor(file.bytes(), *layout));
}

}  // namespace antler::io::hdf5
