#include "io/sorted_table.h"

#include <algorithm>
#include <cstdint>

#include "antler/base/error.h"
#include "io/crc32c.h"
#include "io/little_endian.h"
#include "io/snappy.h"
#include "io/varint.h"

// A table is data blocks, a meta-index block, an index block and a footer. A block is entries (key
// bytes shared with the key before, further key bytes, value bytes; the key's rest; the value), the
// places at which keys are whole, and their count; behind it stand its compression and checksum.
// The index block maps the last key of each data block to the block's place.
namespace antler::io {
namespace {

constexpr uint64_t kTableMagic = 0xDB4775248B80FB57;
constexpr size_t kTableFooter = 48;
constexpr size_t kBlockTrailer = 5;
constexpr size_t kBlockBytes = size_t{1} << 18;
constexpr int kRestartInterval = 16;

[[noreturn]] void bad_table(const char* what) {
  throw IOError(std::string("The table of a checkpoint's index is damaged: ") + what + ".");
}

uint64_t table_varint(std::string_view& from) {
  const auto value = take_varint(from);
  if (!value) bad_table("a number does not end");
  return *value;
}

struct Place {
  uint64_t offset = 0;
  uint64_t size = 0;
};

Place take_place(std::string_view& from) {
  const uint64_t offset = table_varint(from);
  return {offset, table_varint(from)};
}

std::string text_of(const Place& place) {
  std::string text;
  append_varint(text, place.offset);
  append_varint(text, place.size);
  return text;
}

std::string read_block(std::string_view file, const Place& place) {
  if (place.offset > file.size() || file.size() - place.offset < kBlockTrailer ||
      place.size > file.size() - place.offset - kBlockTrailer) {
    bad_table("a block is not in the file");
  }
  const std::string_view block = file.substr(place.offset, place.size + 1);
  const auto checksum = read_little_endian<uint32_t>(file.substr(place.offset + place.size + 1));
  if (!checksum_fits(checksum, masked_crc32c(block))) {
    bad_table("the checksum of a block does not match");
  }
  switch (block.back()) {
    case 0:
      return std::string(block.substr(0, place.size));
    case 1:
      return uncompress_snappy(block.substr(0, place.size));
    default:
      bad_table("a block is compressed in a way that is not known");
  }
}

void append_entries(std::string_view block, TableEntries& entries) {
  if (block.size() < sizeof(uint32_t)) bad_table("a block is cut off");
  const uint64_t restarts =
      read_little_endian<uint32_t>(block.substr(block.size() - sizeof(uint32_t)));
  if ((restarts + 1) * sizeof(uint32_t) > block.size()) bad_table("a block is cut off");
  std::string_view rest = block.substr(0, block.size() - (restarts + 1) * sizeof(uint32_t));
  std::string key;
  while (!rest.empty()) {
    const uint64_t shared = table_varint(rest);
    const uint64_t own = table_varint(rest);
    const uint64_t value = table_varint(rest);
    if (shared > key.size() || own > rest.size() || value > rest.size() - own) {
      bad_table("an entry is cut off");
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
      restarts_.push_back(static_cast<uint32_t>(text_.size()));
    } else {
      while (shared < std::min(key.size(), last_.size()) && key[shared] == last_[shared]) ++shared;
    }
    append_varint(text_, shared);
    append_varint(text_, key.size() - shared);
    append_varint(text_, value.size());
    text_ += key.substr(shared);
    text_ += value;
    last_ = key;
    ++count_;
  }
  size_t size() const { return text_.size(); }
  bool empty() const { return count_ == 0; }
  const std::string& last() const { return last_; }

  /// Appends the block to a file.
  Place finish(std::string& file) {
    if (restarts_.empty()) restarts_.push_back(0);
    for (const uint32_t restart : restarts_) append_little_endian(text_, restart);
    append_little_endian(text_, static_cast<uint32_t>(restarts_.size()));
    const Place place{file.size(), text_.size()};
    text_ += '\0';  // not compressed
    const uint32_t crc = masked_crc32c(text_);
    file += text_;
    append_little_endian(file, crc);
    return place;
  }

 private:
  std::string text_;
  std::string last_;
  std::vector<uint32_t> restarts_;
  int count_ = 0;
};

}  // namespace

TableEntries parse_table(std::string_view bytes) {
  if (bytes.size() < kTableFooter) bad_table("it is cut off");
  std::string_view footer = bytes.substr(bytes.size() - kTableFooter);
  if (read_little_endian<uint64_t>(footer.substr(kTableFooter - sizeof(uint64_t))) != kTableMagic) {
    bad_table("it does not end as a table does");
  }
  take_place(footer);  // of the meta-index, which says nothing of the entries
  const Place index_place = take_place(footer);
  TableEntries index;
  append_entries(read_block(bytes, index_place), index);
  TableEntries entries;
  uint64_t end = 0;
  for (const auto& [key, value] : index) {
    std::string_view text = value;
    const Place place = take_place(text);
    // Else a small file could name one block many times.
    if (place.offset < end) bad_table("its blocks overlap");
    end = place.offset + place.size;
    append_entries(read_block(bytes, place), entries);
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
    index.add(last, text_of(block.finish(file)));
    block = BlockWriter();
  };
  for (const auto& [key, value] : entries) {
    block.add(key, value);
    if (block.size() >= kBlockBytes) flush();
  }
  if (!block.empty()) flush();
  std::string footer = text_of(BlockWriter().finish(file));  // an empty meta-index
  footer += text_of(index.finish(file));
  footer.resize(kTableFooter - sizeof(uint64_t), '\0');
  append_little_endian(footer, kTableMagic);
  return file + footer;
}

}  // namespace antler::io
