#include "io/hdf5_objects.h"

#include <algorithm>
#include <set>

#include "antler/base/error.h"
#include "io/hdf5_fractal_heap.h"
#include "io/hdf5_record_tree.h"

namespace antler::io::hdf5 {
namespace {

constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);
/// The headers of weight files are smaller. The limit protects against files that claim more.
constexpr uint64_t kMaxHeaderBytes = uint64_t{1} << 26;
constexpr int kMaxSoftLinks = 8;
constexpr int kMaxLevels = 32;

uint64_t all_ones(uint64_t bytes) {
  return bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
}

/// Reads the links of a group in the old format: a B-tree whose leaves have the entries, and a heap
/// with the names.
class OldGroup {
 public:
  OldGroup(const Objects& file, uint64_t heap) : file_(file) {
    const uint64_t offsets = file.offset_size();
    // Signature, version, three bytes, then size, free list and address of the names.
    const std::string head = file.at(heap, 8 + 16 + offsets);
    Cursor cursor(file.bytes(), head);
    if (cursor.take(4) != "HEAP") damaged("a group has no heap of names");
    cursor.skip(4);
    const uint64_t size = file.length(cursor);
    file.length(cursor);
    names_ = file.at(file.address(cursor), size);
  }

  void read(uint64_t node, int level, Links& links) {
    if (level > kMaxLevels || !seen_.insert(node).second) damaged("a group contains itself");
    // `count` pairs of a name, which is not needed, and an address follow.
    const uint64_t offsets = file_.offset_size();
    const std::string head = file_.at(node, 8 + 2 * offsets);
    Cursor cursor(file_.bytes(), head);
    if (cursor.take(4) != "TREE" || cursor.u8() != 0) damaged("the tree of a group is corrupt");
    const bool leaf = cursor.u8() == 0;
    const uint64_t count = cursor.u16();
    const std::string entries =
        file_.at(node + head.size(), count * (file_.length_size() + offsets));
    Cursor children(file_.bytes(), entries);
    for (uint64_t i = 0; i < count; ++i) {
      file_.length(children);
      const uint64_t child = file_.address(children);
      if (leaf) {
        read_leaf(child, links);
      } else {
        read(child, level + 1, links);
      }
    }
  }

 private:
  [[noreturn]] void damaged(const char* what) const { file_.bytes().damaged(what); }

  std::string name(uint64_t offset) const {
    if (offset >= names_.size()) damaged("a name is missing");
    const size_t end = names_.find('\0', offset);
    if (end == std::string::npos) damaged("a name is not terminated");
    return names_.substr(offset, end - offset);
  }

  void read_leaf(uint64_t node, Links& links) {
    if (!seen_.insert(node).second) damaged("a group contains itself");
    const std::string head = file_.at(node, 8);
    Cursor start(file_.bytes(), head);
    if (start.take(4) != "SNOD") damaged("the entries of a group are corrupt");
    start.skip(2);
    const uint64_t count = start.u16();
    constexpr uint64_t kScratch = 16;
    const std::string entries =
        file_.at(node + 8, count * (2 * file_.offset_size() + 8 + kScratch));
    Cursor cursor(file_.bytes(), entries);
    for (uint64_t i = 0; i < count; ++i) {
      Link link;
      link.name = name(file_.address(cursor));
      const uint64_t object = file_.address(cursor);
      const uint32_t kind = cursor.u32();
      cursor.skip(4);
      Cursor scratch(file_.bytes(), cursor.take(kScratch));
      if (kind == 2) {
        link.soft = name(scratch.u32());
      } else {
        link.object = object;
      }
      links.push_back(std::move(link));
    }
  }

  const Objects& file_;
  std::string names_;
  std::set<uint64_t> seen_;
};

}  // namespace

Objects::Objects(ByteFile file) : bytes_(std::move(file)) {
  if (bytes_.size() == 0) bytes_.damaged("it is empty");
  // The superblock may be at offset 0, 512, 1024, 2048, ...
  uint64_t at = 0;
  while (at + kSignature.size() <= bytes_.size() &&
         bytes_.read(at, kSignature.size()) != kSignature) {
    at = at == 0 ? 512 : 2 * at;
  }
  if (at + kSignature.size() > bytes_.size()) {
    bytes_.damaged("it does not have the signature of HDF5");
  }
  parse_superblock(at);
}

void Objects::parse_superblock(uint64_t at) {
  constexpr uint64_t kLongest = 128;
  const std::string head = bytes_.read(at, std::min(kLongest, bytes_.size() - at));
  Cursor cursor(bytes_, head);
  cursor.skip(kSignature.size());
  const uint32_t version = cursor.u8();
  if (version > 3) bytes_.unsupported(format("a superblock of version {}", version));
  if (version < 2) cursor.skip(4);
  offset_size_ = cursor.u8();
  length_size_ = cursor.u8();
  const auto is_size = [](uint64_t size) { return size == 2 || size == 4 || size == 8; };
  if (!is_size(offset_size_) || !is_size(length_size_))
    bytes_.damaged("the sizes of addresses and lengths are invalid");
  undefined_ = all_ones(offset_size_);
  cursor.skip(version == 0 ? 9 : version == 1 ? 13 : 1);
  base_ = address(cursor);
  address(cursor);  // of the free space or the superblock extension
  const uint64_t end = address(cursor);
  if (version < 2) {
    address(cursor);  // of the driver information
    address(cursor);  // of the root's name
  }
  root_ = address(cursor);
  if (base_ > bytes_.size() || end > bytes_.size()) bytes_.damaged("it is truncated");
}

uint64_t Objects::place(uint64_t address) const {
  if (address > bytes_.size() || base_ > bytes_.size() - address) {
    bytes_.damaged("an address is beyond the end of the file");
  }
  return base_ + address;
}

std::string Objects::at(uint64_t address, uint64_t count) const {
  return bytes_.read(place(address), count);
}

Messages Objects::messages(uint64_t object) const {
  Messages messages;
  if (at(object, 4) == "OHDR") {
    new_messages(object, messages);
  } else {
    old_messages(object, messages);
  }
  return messages;
}

void Objects::add_message(Message message, Messages& messages, std::vector<Block>& blocks) const {
  if (message.type == kContinuation) {
    Cursor next(bytes_, message.data);
    const uint64_t address_of_next = address(next);
    blocks.push_back({address_of_next, length(next)});
  }
  messages.push_back(std::move(message));
}

// Header: version, a reserved byte, number of messages, reference count, bytes of the first block,
// four bytes of padding.
void Objects::old_messages(uint64_t object, Messages& messages) const {
  constexpr uint64_t kHead = 16;
  const std::string head = at(object, kHead);
  Cursor start(bytes_, head);
  if (start.u8() != 1) bytes_.damaged("an object has no valid header");
  start.skip(1);
  const uint64_t count = start.u16();
  start.skip(4);
  std::vector<Block> blocks = {{object + kHead, start.u32()}};
  uint64_t total = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    total += blocks[b].size;
    if (total > kMaxHeaderBytes || blocks.size() > count + 1) {
      bytes_.damaged("an object header does not end");
    }
    const std::string block = at(blocks[b].at, blocks[b].size);
    Cursor cursor(bytes_, block);
    while (cursor.left() >= 8 && messages.size() < count) {
      Message message;
      message.type = static_cast<int>(cursor.u16());
      const uint64_t size = cursor.u16();
      message.shared = (cursor.u8() & 2) != 0;
      cursor.skip(3);
      message.data = cursor.take(size);
      add_message(std::move(message), messages, blocks);
    }
  }
}

// Header: signature, version, flags, times and limits if the flags say so, bytes of the first
// block.
void Objects::new_messages(uint64_t object, Messages& messages) const {
  constexpr uint64_t kLongest = 34;
  const uint64_t begin = place(object);
  const std::string head = bytes_.read(begin, std::min(kLongest, bytes_.size() - begin));
  Cursor start(bytes_, head);
  start.skip(4);
  if (start.u8() != 2) bytes_.unsupported("an object header of an unknown version");
  const uint32_t flags = start.u8();
  if ((flags & 0x20) != 0) start.skip(16);
  if ((flags & 0x10) != 0) start.skip(4);
  const uint64_t first = start.number(uint64_t{1} << (flags & 3));
  std::vector<Block> blocks = {{object + (head.size() - start.left()), first}};
  std::set<uint64_t> seen;
  uint64_t total = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    total += blocks[b].size;
    if (total > kMaxHeaderBytes || !seen.insert(blocks[b].at).second) {
      bytes_.damaged("an object header does not end");
    }
    std::string block = at(blocks[b].at, blocks[b].size);
    if (b > 0) {  // between a signature and a checksum
      if (block.size() < 8 || !block.starts_with("OCHK")) {
        bytes_.damaged("a part of an object header is corrupt");
      }
      block = block.substr(4, block.size() - 8);
    }
    Cursor cursor(bytes_, block);
    const uint64_t message_head = (flags & 4) != 0 ? 6 : 4;
    while (cursor.left() >= message_head) {
      Message message;
      message.type = static_cast<int>(cursor.u8());
      const uint64_t size = cursor.u16();
      message.shared = (cursor.u8() & 2) != 0;
      if ((flags & 4) != 0) cursor.skip(2);
      message.data = cursor.take(size);
      add_message(std::move(message), messages, blocks);
    }
  }
}

bool Objects::is_group(const Messages& messages) {
  return std::any_of(messages.begin(), messages.end(), [](const Message& message) {
    return message.type == kSymbolTable || message.type == kLinkInfo || message.type == kLink;
  });
}

void Objects::old_links(const Message& message, Links& links) const {
  Cursor cursor(bytes_, message.data);
  const uint64_t tree = address(cursor);
  OldGroup(*this, address(cursor)).read(tree, 0, links);
}

Link Objects::new_link(std::string_view data) const {
  Cursor cursor(bytes_, data);
  if (cursor.u8() != 1) bytes_.unsupported("a link of an unknown version");
  const uint32_t flags = cursor.u8();
  const uint32_t kind = (flags & 8) != 0 ? cursor.u8() : 0;
  if ((flags & 4) != 0) cursor.skip(8);
  if ((flags & 16) != 0) cursor.skip(1);
  Link link;
  link.name = cursor.take(cursor.number(uint64_t{1} << (flags & 3)));
  if (kind == 0) link.object = address(cursor);
  if (kind == 1) link.soft = cursor.take(cursor.u16());
  return link;
}

/// Reads the links of a large group, which are in a heap and indexed by a tree of names.
void Objects::dense_links(const Message& message, Links& links) const {
  Cursor cursor(bytes_, message.data);
  cursor.skip(1);
  if ((cursor.u8() & 1) != 0) cursor.skip(8);
  const uint64_t heap_address = address(cursor);
  const uint64_t tree = address(cursor);
  if (is_undefined(heap_address) || is_undefined(tree)) return;
  FractalHeap heap(*this, heap_address);
  const TreeRecords names = read_record_tree(*this, tree);
  constexpr uint64_t kHash = 4;
  if (names.type != kLinksByName || names.record_bytes <= kHash) {
    bytes_.damaged("the index of a group is corrupt");
  }
  for (const std::string& record : names.records) {
    links.push_back(new_link(heap.object(std::string_view(record).substr(kHash))));
  }
}

const Links& Objects::links(uint64_t object) const {
  const std::lock_guard lock(mutex_);
  const auto known = links_.find(object);
  if (known != links_.end()) return known->second;
  Links links;
  for (const Message& message : messages(object)) {
    if (message.type == kSymbolTable) old_links(message, links);
    if (message.type == kLink) links.push_back(new_link(message.data));
    if (message.type == kLinkInfo) dense_links(message, links);
  }
  return links_.emplace(object, std::move(links)).first->second;
}

std::optional<uint64_t> Objects::find(const std::string& path) const {
  return find(root_, path, 0);
}

std::optional<uint64_t> Objects::find(uint64_t from, const std::string& path, int depth) const {
  if (depth > kMaxSoftLinks) return std::nullopt;
  uint64_t object = path.starts_with('/') ? root_ : from;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = std::string_view(path).substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (!is_group(messages(object))) return std::nullopt;
    const Links& all = links(object);
    const auto link = std::find_if(all.begin(), all.end(),
                                   [&](const Link& candidate) { return candidate.name == part; });
    if (link == all.end()) return std::nullopt;
    const auto next = link->object         ? link->object
                      : link->soft.empty() ? std::nullopt
                                           : find(object, link->soft, depth + 1);
    if (!next) return std::nullopt;
    object = *next;
  }
  return object;
}

std::optional<std::string> find_message(const Objects& file, const Messages& messages, int type) {
  for (const Message& message : messages) {
    if (message.type != type) continue;
    return message.shared ? shared_message(file, message.data, type) : message.data;
  }
  return std::nullopt;
}

std::string shared_message(const Objects& file, std::string_view data, int type) {
  Cursor cursor(file.bytes(), data);
  const uint32_t version = cursor.u8();
  const uint32_t kind = cursor.u8();
  constexpr uint32_t kNamed = 2;
  if (version < 1 || version > 3) file.bytes().damaged("a shared message is corrupt");
  if (version == 3 && kind != kNamed) file.bytes().unsupported("a message shared between objects");
  if (version == 1) cursor.skip(6);
  for (const Message& message : file.messages(file.address(cursor))) {
    if (message.type == type && !message.shared) return message.data;
  }
  file.bytes().damaged("a named type is missing");
}

}  // namespace antler::io::hdf5
