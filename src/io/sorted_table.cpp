#include "io/sorted_table.h"

#include <algorithm>
#include <cstdint>

#include "antler/base/error.h"
#include "io/crc32c.h"
#include "io/little_endian.h"
#include "io/snappy.h"
#include "io/varint.h"

// Antler reads and writes tables by itself: LevelDB would be a new dependency, opens databases
// rather than the bytes of one table, and a corrupt file must give an error in bounded memory.
//
// A table is data blocks, a meta-index block, an index block and a footer. A block is a list of
// entries, the offsets of its restart points, and their number; its compression type and checksum
// follow it. An entry is three numbers (key bytes shared with the previous key, other key bytes,
// value bytes), the rest of the key, and the value. At a restart point a key is stored in full. The
// index block maps the last key of each data block to the block's handle (offset and size).
namespace antler::io {
namespace {

constexpr uint64_t kTableMagic = 0xDB4775248B80FB57;
constexpr size_t kTableFooter = 48;
constexpr size_t kBlockTrailer = 5;
constexpr size_t kBlockBytes = size_t{1} << 18;
constexpr int kRestartInterval = 16;

[[noreturn]] void bad_table(const char* what) {
  throw IOError("The index of the checkpoint is corrupt: {}.", what);
}

uint64_t table_varint(std::string_view& from) {
  const auto value = take_varint(from);
  if (!value) bad_table("a number is truncated");
  return *value;
}

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;
};

BlockHandle take_handle(std::string_view& from) {
  const uint64_t offset = table_varint(from);
  return {offset, table_varint(from)};
}

std::string format_handle(const BlockHandle& handle) {
  std::string bytes;
  append_varint(bytes, handle.offset);
  append_varint(bytes, handle.size);
  return bytes;
}

std::string read_block(std::string_view file, const BlockHandle& handle) {
  const auto [offset, size] = handle;
  if (offset > file.size() || file.size() - offset < kBlockTrailer ||
      size > file.size() - offset - kBlockTrailer) {
    bad_table("a block is beyond the end of the file");
  }
  const std::string_view block = file.substr(offset, size + 1);
  const auto checksum = read_little_endian<uint32_t>(file.substr(offset + size + 1));
  if (!checksum_fits(checksum, masked_crc32c(block))) {
    bad_table("the checksum of a block does not match");
  }
  switch (block.back()) {
    case 0:
      return std::string(block.substr(0, size));
    case 1:
      return uncompress_snappy(block.substr(0, size));
    default:
      bad_table("the compression of a block is unknown");
  }
}

void append_entries(std::string_view block, TableEntries& entries) {
  if (block.size() < sizeof(uint32_t)) bad_table("a block is truncated");
  const uint64_t restarts =
      read_little_endian<uint32_t>(block.substr(block.size() - sizeof(uint32_t)));
  if ((restarts + 1) * sizeof(uint32_t) > block.size()) bad_table("a block is truncated");
  std::string_view rest = block.substr(0, block.size() - (restarts + 1) * sizeof(uint32_t));
  std::string key;
  while (!rest.empty()) {
    const uint64_t shared = table_varint(rest);
    const uint64_t own = table_varint(rest);
    const uint64_t value = table_varint(rest);
    if (shared > key.size() || own > rest.size() || value > rest.size() - own) {
      bad_table("an entry is truncated");
    }
    key.resize(shared);
    key += rest.substr(0, own);
    entries.emplace_back(key, rest.substr(own, value));
    rest.remove_prefix(own + value);
  }
}

class BlockWriter {
 public:
  void add(std::string_view key, std::string_view value) {
    size_t shared = 0;
    if (count_ % kRestartInterval == 0) {
      restarts_.push_back(static_cast<uint32_t>(bytes_.size()));
    } else {
      while (shared < std::min(key.size(), last_.size()) && key[shared] == last_[shared]) ++shared;
    }
    append_varint(bytes_, shared);
    append_varint(bytes_, key.size() - shared);
    append_varint(bytes_, value.size());
    bytes_ += key.substr(shared);
    bytes_ += value;
    last_ = key;
    ++count_;
  }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return count_ == 0; }
  const std::string& last() const { return last_; }

  /// Appends the block to a file.
  BlockHandle finish(std::string& file) {
    if (restarts_.empty()) restarts_.push_back(0);
    for (const uint32_t restart : restarts_) append_little_endian(bytes_, restart);
    append_little_endian(bytes_, static_cast<uint32_t>(restarts_.size()));
    const BlockHandle handle{file.size(), bytes_.size()};
    bytes_ += '\0';  // not compressed
    const uint32_t crc = masked_crc32c(bytes_);
    file += bytes_;
    append_little_endian(file, crc);
    return handle;
  }

 private:
  std::string bytes_;
  std::string last_;
  std::vector<uint32_t> restarts_;
  int count_ = 0;
};

}  // namespace

TableEntries parse_table(std::string_view bytes) {
  if (bytes.size() < kTableFooter) bad_table("it is truncated");
  std::string_view footer = bytes.substr(bytes.size() - kTableFooter);
  if (read_little_endian<uint64_t>(footer.substr(kTableFooter - sizeof(uint64_t))) != kTableMagic) {
    bad_table("it does not end with the magic number of a table");
  }
  take_handle(footer);  // of the meta-index, which is not needed
  TableEntries index;
  append_entries(read_block(bytes, take_handle(footer)), index);
  TableEntries entries;
  uint64_t end = 0;
  for (const auto& [key, value] : index) {
    std::string_view rest = value;
    const BlockHandle handle = take_handle(rest);
    // Otherwise a small file could refer to one block many times and exhaust memory.
    if (handle.offset < end) bad_table("its blocks overlap");
    end = handle.offset + handle.size;
    append_entries(read_block(bytes, handle), entries);
  }
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].first <= entries[i - 1].first) bad_table("its keys are not in order");
  }
  return entries;
}

std::string format_table(const TableEntries& entries) {
  std::string file;
  BlockWriter index;
  BlockWriter block;
  const auto flush = [&] {
    const std::string last = block.last();
    index.add(last, format_handle(block.finish(file)));
    block = BlockWriter();
  };
  for (const auto& [key, value] : entries) {
    block.add(key, value);
    if (block.size() >= kBlockBytes) flush();
  }
  if (!block.empty()) flush();
  std::string footer = format_handle(BlockWriter().finish(file));  // an empty meta-index
  footer += format_handle(index.finish(file));
  footer.resize(kTableFooter - sizeof(uint64_t), '\0');
  append_little_endian(footer, kTableMagic);
  return file + footer;
}

}  // namespace antler::io
