#include "io/hdf5_record_tree.h"

#include <bit>

namespace antler::io::hdf5 {
namespace {

constexpr uint64_t kMaxDepth = 16;
/// Signature, version, type, and a checksum at the end.
constexpr uint64_t kNodeFrame = 10;
constexpr uint64_t kNodeHead = 6;

/// Bytes that HDF5 uses for a number up to `limit`.
uint64_t bytes_for(uint64_t limit) {
  return limit == 0 ? 1 : static_cast<uint64_t>(std::bit_width(limit) - 1) / 8 + 1;
}

/// Limits for the nodes of a level, which follow from the tree's header. Level 0 has the leaves.
struct Level {
  uint64_t most_records = 0;
  uint64_t most_below = 0;  // records in a node and all nodes below it
};

class RecordTree {
 public:
  RecordTree(const Objects& file, uint64_t address) : file_(file), budget_(file.bytes().size()) {
    const std::string head = file.at(address, 22 + file.offset_size() + file.length_size());
    Cursor cursor(file.bytes(), head);
    if (cursor.take(4) != "BTHD" || cursor.u8() != 0) damaged();
    result_.type = static_cast<int>(cursor.u8());
    node_bytes_ = cursor.u32();
    result_.record_bytes = cursor.u16();
    depth_ = cursor.u16();
    cursor.skip(2);
    root_ = file.address(cursor);
    root_records_ = cursor.u16();
    if (result_.record_bytes == 0 || depth_ > kMaxDepth || node_bytes_ < kNodeFrame) damaged();
    find_levels();
  }

  TreeRecords read() {
    if (!file_.is_undefined(root_)) read_node(root_, root_records_, depth_);
    return std::move(result_);
  }

 private:
  [[noreturn]] void damaged() const { file_.bytes().damaged("a tree of records is corrupt"); }

  uint64_t pointer_bytes(uint64_t depth) const {
    return file_.offset_size() + bytes_for(levels_[0].most_records) +
           (depth > 1 ? bytes_for(levels_[depth - 1].most_below) : 0);
  }

  void find_levels() {
    const uint64_t leaf = (node_bytes_ - kNodeFrame) / result_.record_bytes;
    levels_.push_back({leaf, leaf});
    for (uint64_t depth = 1; depth <= depth_; ++depth) {
      const uint64_t pointer = pointer_bytes(depth);
      if (node_bytes_ < kNodeFrame + pointer) damaged();
      Level level;
      level.most_records = (node_bytes_ - kNodeFrame - pointer) / (result_.record_bytes + pointer);
      if (__builtin_mul_overflow(level.most_records + 1, levels_.back().most_below,
                                 &level.most_below) ||
          __builtin_add_overflow(level.most_below, level.most_records, &level.most_below)) {
        damaged();
      }
      levels_.push_back(level);
    }
  }

  void read_node(uint64_t address, uint64_t count, uint64_t depth) {
    if (count > levels_[depth].most_records) damaged();
    const uint64_t pointers = depth > 0 ? (count + 1) * pointer_bytes(depth) : 0;
    const uint64_t bytes = kNodeHead + count * result_.record_bytes + pointers;
    // Nodes do not overlap, so together they are no larger than the file.
    if (bytes > budget_) damaged();
    budget_ -= bytes;
    const std::string node = file_.at(address, bytes);
    Cursor cursor(file_.bytes(), node);
    if (cursor.take(4) != (depth > 0 ? "BTIN" : "BTLF")) damaged();
    cursor.skip(1);
    if (static_cast<int>(cursor.u8()) != result_.type) damaged();
    for (uint64_t i = 0; i < count; ++i) {
      result_.records.emplace_back(cursor.take(result_.record_bytes));
    }
    for (uint64_t i = 0; depth > 0 && i <= count; ++i) {
      const uint64_t child = file_.address(cursor);
      const uint64_t records = cursor.number(bytes_for(levels_[0].most_records));
      if (depth > 1) cursor.skip(bytes_for(levels_[depth - 1].most_below));
      read_node(child, records, depth - 1);
    }
  }

  const Objects& file_;
  uint64_t budget_;
  uint64_t node_bytes_ = 0;
  uint64_t depth_ = 0;
  uint64_t root_ = 0;
  uint64_t root_records_ = 0;
  std::vector<Level> levels_;
  TreeRecords result_;
};

}  // namespace

TreeRecords read_record_tree(const Objects& file, uint64_t address) {
  return RecordTree(file, address).read();
}

}  // namespace antler::io::hdf5
