#include "io/hdf5_fractal_heap.h"

#include <algorithm>
#include <bit>

#include "io/hdf5_record_tree.h"

namespace antler::io::hdf5 {
namespace {

uint64_t log2_of(uint64_t value) { return static_cast<uint64_t>(std::bit_width(value)) - 1; }

}  // namespace

FractalHeap::FractalHeap(const Objects& file, uint64_t address)
    : file_(file), budget_(file.bytes().size()) {
  const uint64_t offsets = file.offset_size();
  const uint64_t lengths = file.length_size();
  const std::string head = file.at(address, 22 + 12 * lengths + 3 * offsets);
  Cursor cursor(file.bytes(), head);
  if (cursor.take(4) != "FRHP" || cursor.u8() != 0) damaged();
  id_bytes_ = cursor.u16();
  const bool filtered = cursor.u16() != 0;
  cursor.skip(1);
  const uint64_t most_managed = cursor.u32();
  cursor.skip(lengths);
  huge_tree_ = file.address(cursor);
  cursor.skip(lengths + offsets + 8 * lengths);
  width_ = cursor.u16();
  first_block_ = file.length(cursor);
  const uint64_t largest_block = file.length(cursor);
  const uint64_t heap_bits = cursor.u16();
  cursor.skip(2);
  root_ = file.address(cursor);
  root_rows_ = cursor.u16();
  if (filtered) file.bytes().unsupported("a compressed group or compressed attributes");
  const auto is_power = [](uint64_t n) { return std::has_single_bit(n) && n <= uint64_t{1} << 32; };
  if (!is_power(width_) || !is_power(first_block_) || !is_power(largest_block) ||
      largest_block < first_block_ || most_managed == 0 || heap_bits == 0 || heap_bits > 64) {
    damaged();
  }
  direct_rows_ = log2_of(largest_block) - log2_of(first_block_) + 2;
  offset_bytes_ = (heap_bits + 7) / 8;
  size_bytes_ = std::min((log2_of(largest_block) + 7) / 8, log2_of(most_managed) / 8 + 1);
}

void FractalHeap::damaged() const {
  file_.bytes().damaged("a heap of names or attributes is corrupt");
}

/// Size of a block in this row of blocks.
uint64_t FractalHeap::row_bytes(uint64_t row) const {
  if (row > 48) damaged();
  return row == 0 ? first_block_ : first_block_ << (row - 1);
}

std::string FractalHeap::object(std::string_view id) {
  Cursor cursor(file_.bytes(), id);
  const uint32_t first = cursor.u8();
  std::string result;
  switch (first >> 4 & 3) {
    case 0: {
      const uint64_t offset = cursor.number(offset_bytes_);
      result = managed(offset, cursor.number(size_bytes_));
      break;
    }
    case 1: {
      const uint64_t direct = file_.offset_size() + file_.length_size();
      if (direct <= id_bytes_ - 1) {
        const uint64_t address = file_.address(cursor);
        result = file_.at(address, file_.length(cursor));
      } else {
        result = huge(cursor.number(std::min(cursor.left(), file_.length_size())));
      }
      break;
    }
    case 2: {  // the identifier holds the object
      constexpr uint64_t kLongestOfShort = 17;
      const uint64_t low = first & 15;
      result = cursor.take(id_bytes_ <= kLongestOfShort ? low + 1 : (low << 8 | cursor.u8()) + 1);
      break;
    }
    default:
      damaged();
  }
  if (result.size() > budget_) damaged();
  budget_ -= result.size();
  return result;
}

std::string FractalHeap::managed(uint64_t offset, uint64_t size) const {
  uint64_t block = root_;
  uint64_t block_bytes = first_block_;
  for (uint64_t rows = root_rows_; rows > 0;) {
    uint64_t row = 0;
    while (row < rows && offset >= width_ * row_bytes(row)) offset -= width_ * row_bytes(row++);
    if (row == rows) damaged();
    block_bytes = row_bytes(row);
    const uint64_t entry = row * width_ + offset / block_bytes;
    offset %= block_bytes;
    // Before the addresses: signature, version, address of the header, offset of the block.
    const uint64_t offsets = file_.offset_size();
    if (file_.at(block, 4) != "FHIB") damaged();
    const std::string address =
        file_.at(block + 5 + offsets + offset_bytes_ + entry * offsets, offsets);
    Cursor cursor(file_.bytes(), address);
    block = file_.address(cursor);
    if (file_.is_undefined(block)) damaged();
    rows = row < direct_rows_ ? 0 : log2_of(block_bytes) - log2_of(first_block_ * width_) + 1;
  }
  // Offsets count from the beginning of a block, which has a header.
  if (offset > block_bytes || size > block_bytes - offset || file_.at(block, 4) != "FHDB") {
    damaged();
  }
  return file_.at(block + offset, size);
}

/// An object too large for a block. The records of the tree are address, size and key.
std::string FractalHeap::huge(uint64_t key) {
  if (!huge_objects_) {
    if (file_.is_undefined(huge_tree_)) damaged();
    TreeRecords tree = read_record_tree(file_, huge_tree_);
    if (tree.type != kHugeObjects) damaged();
    huge_objects_ = std::move(tree.records);
  }
  for (const std::string& record : *huge_objects_) {
    Cursor cursor(file_.bytes(), record);
    const uint64_t address = file_.address(cursor);
    const uint64_t size = file_.length(cursor);
    if (file_.length(cursor) == key) return file_.at(address, size);
  }
  damaged();
}

}  // namespace antler::io::hdf5
