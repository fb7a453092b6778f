#include "io/snappy.h"

#include <cstdint>

#include "antler/base/error.h"

namespace antler::io {
namespace {

// Antler decompresses Snappy by itself because only the index of some checkpoints needs it. A
// library would be a dependency of every build.
//
// An element is a tag byte, whose low two bits are its type, followed by bytes of a length or
// offset.
constexpr int kLiteral = 0;
constexpr int kCopy1 = 1;
constexpr int kCopy2 = 2;
/// Upper bound on the decompressed bytes per compressed byte.
constexpr uint64_t kMaxRatio = 64;

class Decoder {
 public:
  explicit Decoder(std::string_view block) : rest_(block) {}

  std::string run() {
    const uint64_t size = length();
    if (size > kMaxRatio * rest_.size()) fail();
    out_.reserve(size);
    while (!rest_.empty()) {
      element();
      if (out_.size() > size) fail();
    }
    if (out_.size() != size) fail();
    return std::move(out_);
  }

 private:
  [[noreturn]] static void fail() { throw IOError("A block in Snappy's format is corrupt."); }

  uint64_t length() {
    uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const uint64_t byte = number(1);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }

  uint64_t number(size_t bytes) {
    if (rest_.size() < bytes) fail();
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
      value |= static_cast<uint64_t>(static_cast<uint8_t>(rest_[i])) << (8 * i);
    }
    rest_.remove_prefix(bytes);
    return value;
  }

  void element() {
    const uint64_t tag = number(1);
    const uint64_t high = tag >> 2;
    switch (tag & 3) {
      case kLiteral:
        // 60 to 63: the length is in the next 1 to 4 bytes.
        literal((high < 60 ? high : number(high - 59)) + 1);
        break;
      case kCopy1:
        copy((tag >> 5) << 8 | number(1), (high & 7) + 4);
        break;
      case kCopy2:
        copy(number(2), high + 1);
        break;
      default:
        copy(number(4), high + 1);
    }
  }

  void literal(uint64_t size) {
    if (size > rest_.size()) fail();
    out_ += rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  /// The source may overlap the result: a run of equal bytes is a copy with offset 1.
  void copy(uint64_t offset, uint64_t size) {
    if (offset == 0 || offset > out_.size()) fail();
    for (size_t from = out_.size() - offset; size > 0; --size) out_ += out_[from++];
  }

  std::string_view rest_;
  std::string out_;
};

}  // namespace

std::string uncompress_snappy(std::string_view block) { return Decoder(block).run(); }

}  // namespace antler::io
