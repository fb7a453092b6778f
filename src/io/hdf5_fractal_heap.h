#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5_objects.h"

namespace antler::io::hdf5 {

/// HDF5's fractal heap. It stores the links of large groups, and the attributes of objects that
/// have many. A heap object is found by its identifier, which is in a tree of records. Small
/// objects are in blocks: `width` blocks of one size, then `width` blocks of twice the size, and so
/// on. Larger objects can be anywhere in the file.
class FractalHeap {
 public:
  /// Reads the header. Throws IOError; ValueError for a compressed heap.
  FractalHeap(const Objects& file, uint64_t address);
  /// The heap object of this identifier. Throws IOError if there is none.
  std::string object(std::string_view id);

 private:
  [[noreturn]] void damaged() const;
  std::string managed(uint64_t offset, uint64_t size) const;
  std::string huge(uint64_t key);
  uint64_t row_bytes(uint64_t row) const;

  const Objects& file_;
  uint64_t budget_;  // bytes of objects still allowed: objects do not overlap
  uint64_t id_bytes_ = 0;
  uint64_t huge_tree_ = 0;
  uint64_t width_ = 0;
  uint64_t first_block_ = 0;   // bytes
  uint64_t direct_rows_ = 0;   // rows of blocks with objects; blocks of later rows hold blocks
  uint64_t offset_bytes_ = 0;  // of an offset in the heap
  uint64_t size_bytes_ = 0;    // of an object's size
  uint64_t root_ = 0;
  uint64_t root_rows_ = 0;  // 0: the root is a block of objects
  std::optional<std::vector<std::string>> huge_objects_;
};

}  // namespace antler::io::hdf5
