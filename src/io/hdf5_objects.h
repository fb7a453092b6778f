#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5_bytes.h"

namespace antler::io::hdf5 {

/// A message of an object header: a property of the object.
struct Message {
  int type = 0;
  bool shared = false;  ///< `data` refers to a message elsewhere
  std::string data;
};
inline constexpr int kDataspace = 0x01;
inline constexpr int kLinkInfo = 0x02;
inline constexpr int kDatatype = 0x03;
inline constexpr int kFillValue = 0x05;
inline constexpr int kLink = 0x06;
inline constexpr int kExternalFiles = 0x07;
inline constexpr int kLayout = 0x08;
inline constexpr int kFilters = 0x0B;
inline constexpr int kAttribute = 0x0C;
inline constexpr int kContinuation = 0x10;
inline constexpr int kSymbolTable = 0x11;
inline constexpr int kAttributeInfo = 0x15;
using Messages = std::vector<Message>;

/// A name in a group.
struct Link {
  std::string name;
  std::optional<uint64_t> object;  ///< address of its header; nullopt for soft and external links
  std::string soft;                ///< path of a soft link
};
using Links = std::vector<Link>;

/// The objects of a file, groups and datasets, in the old and the new format of headers and groups.
/// Each object is a header with messages.
class Objects {
 public:
  /// Reads the superblock. Throws IOError if the file is not an HDF5 file.
  explicit Objects(ByteFile file);

  const FileBytes& bytes() const { return bytes_; }
  /// Bytes at an address. Addresses count from the base of the file.
  std::string at(uint64_t address, uint64_t count) const;
  /// The offset of an address from the beginning of the file.
  uint64_t place(uint64_t address) const;
  uint64_t address(Cursor& cursor) const { return cursor.number(offset_size_); }
  uint64_t length(Cursor& cursor) const { return cursor.number(length_size_); }
  uint64_t offset_size() const { return offset_size_; }
  uint64_t length_size() const { return length_size_; }
  /// Whether this is HDF5's undefined address.
  bool is_undefined(uint64_t address) const { return address == undefined_; }

  /// Address of the object at "group/group/name"; nullopt if there is none.
  std::optional<uint64_t> find(const std::string& path) const;
  Messages messages(uint64_t object) const;
  static bool is_group(const Messages& messages);
  /// Links of a group, in no particular order.
  const Links& links(uint64_t object) const;

 private:
  struct Block {
    uint64_t at = 0;
    uint64_t size = 0;
  };
  void parse_superblock(uint64_t at);
  void old_messages(uint64_t object, Messages& messages) const;
  void new_messages(uint64_t object, Messages& messages) const;
  /// Appends a message. If it points to a continuation block, appends that to `blocks`.
  void add_message(Message message, Messages& messages, std::vector<Block>& blocks) const;
  void old_links(const Message& message, Links& links) const;
  Link new_link(std::string_view data) const;
  void dense_links(const Message& message, Links& links) const;
  std::optional<uint64_t> find(uint64_t from, const std::string& path, int depth) const;

  FileBytes bytes_;
  uint64_t base_ = 0;
  uint64_t root_ = 0;
  uint64_t offset_size_ = 8;
  uint64_t length_size_ = 8;
  uint64_t undefined_ = ~uint64_t{0};
  mutable std::mutex mutex_;
  mutable std::map<uint64_t, Links> links_;  // of the groups read so far
};

/// The data of the first message of a type; nullopt if there is none. A message that is shared with
/// a committed (named) type is read from there. Throws IOError; ValueError for a message that is
/// shared in another way.
std::optional<std::string> find_message(const Objects& file, const Messages& messages, int type);
/// The data of the message of this type that the shared message `data` refers to.
std::string shared_message(const Objects& file, std::string_view data, int type);

}  // namespace antler::io::hdf5
