#include "io/hdf5_chunk_index.h"

#include <algorithm>
#include <bit>

#include "antler/base/format.h"
#include "io/hdf5_record_tree.h"

// An index is an array of entries, one for each chunk in row-major order, or a tree of them. An
// entry is an address and, if there are filters, the size in the file and a mask of skipped
// filters.

namespace antler::io::hdf5 {
namespace {

// Types of indexes.
constexpr uint32_t kSingle = 1;
constexpr uint32_t kImplicit = 2;
constexpr uint32_t kFixedArray = 3;
constexpr uint32_t kExtensibleArray = 4;
constexpr uint32_t kTree = 5;

constexpr uint64_t kChecksum = 4;

uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

class ChunkIndex {
 public:
  ChunkIndex(const Objects& file, const ChunkGrid& grid, const ChunkVisitor& visit)
      : file_(file), grid_(grid), visit_(visit), budget_(file.bytes().size()) {
    order_.resize(grid.dims.size());
    for (size_t d = 0; d < order_.size(); ++d) order_[d] = d;
  }

  void single(uint32_t flags, Cursor rest) {
    ChunkPlace place{std::vector<uint64_t>(grid_.dims.size(), 0), 0, grid_.chunk_bytes, 0};
    constexpr uint32_t kFiltered = 2;
    if ((flags & kFiltered) != 0) {
      place.bytes = file_.length(rest);
      place.skipped = rest.u32();
    }
    place.address = file_.address(rest);
    if (!file_.is_undefined(place.address)) visit_(place);
  }

  /// All chunks are contiguous.
  void implicit(Cursor rest) {
    const uint64_t begin = file_.address(rest);
    if (file_.is_undefined(begin)) return;
    const uint64_t all = count();
    if (all > file_.bytes().size() / grid_.chunk_bytes) damaged();
    for (uint64_t i = 0; i < all; ++i) {
      place_of(i, begin + i * grid_.chunk_bytes, grid_.chunk_bytes, 0);
    }
  }

  void fixed_array(Cursor rest) {
    rest.skip(1);
    const uint64_t header = file_.address(rest);
    if (file_.is_undefined(header)) return;
    const std::string head = file_.at(header, 8 + file_.length_size() + file_.offset_size());
    Cursor cursor = begin(head, "FAHD");
    entry_bytes_ = cursor.u8();
    page_ = page_entries(cursor.u8());
    const uint64_t entries = file_.length(cursor);
    const uint64_t block = file_.address(cursor);
    if (file_.is_undefined(block)) return;
    const uint64_t block_head = 6 + file_.offset_size();
    begin(file_.at(block, block_head), "FADB");
    if (entries <= page_) return read_entries(block + block_head, 0, entries);
    const uint64_t pages = ceil_div(entries, page_);
    const std::string written = file_.at(block + block_head, ceil_div(pages, 8));
    read_pages(block + block_head + written.size() + kChecksum, 0, entries, written, 0);
  }

  void extensible_array(Cursor rest) {
    rest.skip(5);
    const uint64_t header = file_.address(rest);
    if (file_.is_undefined(header)) return;
    // The unlimited dimension changes slowest.
    const auto grows = std::find(grid_.limits.begin(), grid_.limits.end(), kUnlimited);
    if (grows == grid_.limits.end()) damaged();
    const auto dim = static_cast<size_t>(grows - grid_.limits.begin());
    std::rotate(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(dim),
                order_.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
    const std::string head = file_.at(header, 12 + 6 * file_.length_size() + file_.offset_size());
    Cursor cursor = begin(head, "EAHD");
    entry_bytes_ = cursor.u8();
    const uint32_t bits = cursor.u8();
    const uint64_t in_index = cursor.u8();
    const uint64_t least_entries = cursor.u8();
    const uint64_t least_pointers = cursor.u8();
    page_ = page_entries(cursor.u8());
    cursor.skip(6 * file_.length_size());
    const uint64_t index = file_.address(cursor);
    if (file_.is_undefined(index)) return;
    if (!std::has_single_bit(least_entries) || !std::has_single_bit(least_pointers) || bits > 63) {
      damaged();
    }
    block_offset_bytes_ = (bits + 7) / 8;
    read_index_block(index, bits, in_index, least_entries, least_pointers);
  }

  void tree(Cursor rest) {
    rest.skip(6);
    const uint64_t header = file_.address(rest);
    if (file_.is_undefined(header)) return;
    const TreeRecords tree = read_record_tree(file_, header);
    const uint64_t rank = grid_.dims.size();
    const uint64_t fixed = file_.offset_size() + 8 * rank;
    const bool filtered = tree.type == kFilteredChunks;
    if (!filtered && tree.type != kPlainChunks) damaged();
    if (tree.record_bytes < fixed + (filtered ? 5 : 0)) damaged();
    entry_bytes_ = tree.record_bytes - 8 * rank;
    for (const std::string& record : tree.records) {
      Cursor cursor(file_.bytes(), record);
      ChunkPlace place = entry(cursor);
      for (uint64_t d = 0; d < rank; ++d) place.first.push_back(cursor.number(8));
      visit_in_elements(std::move(place));
    }
  }

 private:
  [[noreturn]] void damaged() const {
    file_.bytes().damaged("the chunk index of a dataset is corrupt");
  }

  /// Checks a block's signature and version, and skips a byte that says whether there are filters.
  Cursor begin(const std::string& block, std::string_view signature) const {
    Cursor cursor(file_.bytes(), block);
    if (cursor.take(4) != signature || cursor.u8() != 0) damaged();
    cursor.skip(1);
    return cursor;
  }

  uint64_t page_entries(uint32_t bits) const {
    if (bits > 32) damaged();
    return uint64_t{1} << bits;
  }

  /// Number of chunks along dimension d of the largest size that the dataset may have.
  uint64_t chunks_along(size_t d) const { return ceil_div(grid_.limits[d], grid_.dims[d]); }

  uint64_t count() const {
    uint64_t total = 1;
    for (size_t d = 0; d < grid_.dims.size(); ++d) {
      if (__builtin_mul_overflow(total, chunks_along(d), &total)) damaged();
    }
    return total;
  }

  ChunkPlace entry(Cursor& cursor) const {
    const uint64_t offsets = file_.offset_size();
    if (entry_bytes_ < offsets) damaged();
    ChunkPlace place{{}, file_.address(cursor), grid_.chunk_bytes, 0};
    if (entry_bytes_ == offsets) return place;
    const uint64_t size_bytes = entry_bytes_ - offsets - 4;
    if (entry_bytes_ < offsets + 5 || size_bytes > 8) damaged();
    place.bytes = cursor.number(size_bytes);
    place.skipped = cursor.u32();
    return place;
  }

  /// Visits a chunk whose `first` is an index of chunks, not elements.
  void visit_in_elements(ChunkPlace place) const {
    if (file_.is_undefined(place.address)) return;
    for (size_t d = 0; d < grid_.dims.size(); ++d) {
      // A chunk outside of the dataset, which has shrunk or may still grow.
      if (place.first[d] >= ceil_div(grid_.shape[d], grid_.dims[d])) return;
      place.first[d] *= grid_.dims[d];
    }
    visit_(place);
  }

  /// Visits chunk number `index` in row-major order.
  void place_of(uint64_t index, uint64_t address, uint64_t bytes, uint32_t skipped) const {
    ChunkPlace place{std::vector<uint64_t>(grid_.dims.size(), 0), address, bytes, skipped};
    for (size_t i = order_.size(); i-- > 0;) {
      const size_t d = order_[i];
      // Only the first dimension can be unlimited.
      const uint64_t along = i == 0 ? kUnlimited : chunks_along(d);
      if (along == 0) damaged();
      place.first[d] = index % along;
      index /= along;
    }
    if (index == 0) visit_in_elements(std::move(place));
  }

  void read_entries(uint64_t address, uint64_t first, uint64_t count) {
    if (count > budget_ / std::max<uint64_t>(entry_bytes_, 1)) damaged();
    budget_ -= count * entry_bytes_;
    const std::string bytes = file_.at(address, count * entry_bytes_);
    Cursor cursor(file_.bytes(), bytes);
    for (uint64_t i = 0; i < count; ++i) {
      const ChunkPlace place = entry(cursor);
      place_of(first + i, place.address, place.bytes, place.skipped);
    }
  }

  /// Reads pages of entries. Bits of `written`, from `bit` on, say which pages were ever written.
  void read_pages(uint64_t address, uint64_t first, uint64_t entries, const std::string& written,
                  uint64_t bit) {
    for (uint64_t done = 0, p = 0; done < entries; done += page_, ++p) {
      const uint64_t count = std::min(page_, entries - done);
      const uint64_t at = bit + p;
      if ((static_cast<uint8_t>(written.at(at / 8)) & 0x80U >> (at % 8)) != 0) {
        read_entries(address + p * (page_ * entry_bytes_ + kChecksum), first + done, count);
      }
    }
  }

  /// Super block s has 2^(s / 2) data blocks of 2^((s + 1) / 2) times the least number of entries.
  /// The index block holds the first entries, then the addresses of the data blocks of the first
  /// super blocks, then the addresses of the other super blocks.
  void read_index_block(uint64_t index, uint64_t bits, uint64_t in_index, uint64_t least_entries,
                        uint64_t least_pointers) {
    const auto log2 = [](uint64_t n) { return static_cast<uint64_t>(std::bit_width(n)) - 1; };
    if (bits < log2(least_entries)) damaged();
    const uint64_t supers = 1 + bits - log2(least_entries);
    const uint64_t direct_supers = std::min(supers, 2 * log2(least_pointers));
    const uint64_t offsets = file_.offset_size();
    begin(file_.at(index, 6 + offsets), "EAIB");
    read_entries(index + 6 + offsets, 0, in_index);
    uint64_t pointer = index + 6 + offsets + in_index * entry_bytes_;
    uint64_t first = in_index;
    for (uint64_t s = 0; s < supers; ++s) {
      const uint64_t blocks = uint64_t{1} << (s / 2);
      const uint64_t entries = least_entries << ((s + 1) / 2);
      if (s < direct_supers) {
        for (uint64_t b = 0; b < blocks; ++b, pointer += offsets, first += entries) {
          const uint64_t block = address_at(pointer);
          if (!file_.is_undefined(block)) read_data_block(block, first, entries, "", 0);
        }
        continue;
      }
      const uint64_t block = address_at(pointer);
      pointer += offsets;
      if (!file_.is_undefined(block)) read_super_block(block, first, blocks, entries);
      first += blocks * entries;
    }
  }

  uint64_t address_at(uint64_t place) const {
    const std::string bytes = file_.at(place, file_.offset_size());
    Cursor cursor(file_.bytes(), bytes);
    return file_.address(cursor);
  }

  void read_super_block(uint64_t address, uint64_t first, uint64_t blocks, uint64_t entries) {
    const uint64_t head = 6 + file_.offset_size() + block_offset_bytes_;
    begin(file_.at(address, head), "EASB");
    // The page bits of all blocks are contiguous, but take the space of whole bytes for each block.
    const uint64_t pages = entries > page_ ? entries / page_ : 0;
    if (blocks > file_.bytes().size() || pages > file_.bytes().size()) damaged();
    const std::string written = file_.at(address + head, blocks * ceil_div(pages, 8));
    const std::string addresses =
        file_.at(address + head + written.size(), blocks * file_.offset_size());
    Cursor cursor(file_.bytes(), addresses);
    for (uint64_t b = 0; b < blocks; ++b, first += entries) {
      const uint64_t block = file_.address(cursor);
      if (!file_.is_undefined(block)) read_data_block(block, first, entries, written, b * pages);
    }
  }

  void read_data_block(uint64_t address, uint64_t first, uint64_t entries,
                       const std::string& written, uint64_t bit) {
    const uint64_t head = 6 + file_.offset_size() + block_offset_bytes_;
    begin(file_.at(address, head), "EADB");
    if (written.empty()) return read_entries(address + head, first, entries);
    read_pages(address + head + kChecksum, first, entries, written, bit);
  }

  const Objects& file_;
  const ChunkGrid& grid_;
  const ChunkVisitor& visit_;
  uint64_t budget_;            // bytes of entries still allowed: entries do not overlap
  std::vector<size_t> order_;  // dimensions, the slowest first
  uint64_t entry_bytes_ = 0;
  uint64_t page_ = 0;  // entries
  uint64_t block_offset_bytes_ = 0;
};

}  // namespace

void visit_chunks(const Objects& file, const ChunkGrid& grid, uint32_t flags, Cursor rest,
                  const ChunkVisitor& visit) {
  ChunkIndex index(file, grid, visit);
  switch (const uint32_t kind = rest.u8()) {
    case kSingle:
      return index.single(flags, rest);
    case kImplicit:
      return index.implicit(rest);
    case kFixedArray:
      return index.fixed_array(rest);
    case kExtensibleArray:
      return index.extensible_array(rest);
    case kTree:
      return index.tree(rest);
    default:
      file.bytes().unsupported(format("a chunk index of type {}", kind));
  }
}

}  // namespace antler::io::hdf5
