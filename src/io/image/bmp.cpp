#include <array>
#include <bit>
#include <cstdlib>

#include "antler/base/error.h"
#include "io/image/decoders.h"

// BMP is decoded here because the format is simple and the image libraries in use do not read it.
//
// Layout: a file header of 14 bytes, an information header that begins with its own size, a palette
// of (blue, green, red) entries, and rows padded to 4 bytes. The bottom row is first unless the
// height is negative.

namespace antler::io::image {
namespace {

constexpr size_t kFileHeader = 14;
constexpr uint32_t kUncompressed = 0;
constexpr uint32_t kBitFields = 3;

[[noreturn]] void refuse_bmp(std::string_view why) {
  throw IOError("The BMP image cannot be read: {}.", why);
}

class BmpBytes {
 public:
  explicit BmpBytes(std::string_view bytes) : bytes_(bytes) {}
  uint8_t at(size_t offset) const {
    if (offset >= bytes_.size()) refuse_bmp("it is truncated");
    return static_cast<uint8_t>(bytes_[offset]);
  }
  uint32_t u16(size_t offset) const { return at(offset) | uint32_t{at(offset + 1)} << 8; }
  uint32_t u32(size_t offset) const { return u16(offset) | u16(offset + 2) << 16; }
  size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

struct BmpHeader {
  int64_t width = 0;
  int64_t height = 0;
  bool top_down = false;
  uint32_t bits = 0;
  size_t palette = 0;  // offset
  size_t palette_entry = 4;
  uint32_t colors = 0;
  size_t pixels = 0;  // offset
  /// Byte offsets of red, green and blue in a pixel of 24 or 32 bits.
  std::array<size_t, 3> rgb_offsets = {2, 1, 0};
};

BmpHeader parse_header(const BmpBytes& bytes) {
  BmpHeader h;
  h.pixels = bytes.u32(10);
  const uint32_t header = bytes.u32(kFileHeader);
  uint32_t compression = kUncompressed;
  if (header == 12) {
    h.width = bytes.u16(18);
    h.height = bytes.u16(20);
    h.bits = bytes.u16(24);
    h.palette_entry = 3;
  } else if (header >= 40 && header <= 256) {
    h.width = static_cast<int32_t>(bytes.u32(18));
    h.height = static_cast<int32_t>(bytes.u32(22));
    h.bits = bytes.u16(28);
    compression = bytes.u32(30);
    h.colors = bytes.u32(46);
  } else {
    refuse_bmp(format("a header of {} bytes is not supported", header));
  }
  h.top_down = h.height < 0;
  h.height = std::abs(h.height);
  h.palette = kFileHeader + header;
  if (h.bits != 1 && h.bits != 4 && h.bits != 8 && h.bits != 24 && h.bits != 32) {
    refuse_bmp(format("pixels of {} bits are not supported", h.bits));
  }
  if (compression == kBitFields && h.bits == 32) {
    for (size_t c = 0; c < 3; ++c) {
      const uint32_t mask = bytes.u32(54 + 4 * c);
      const auto shift = static_cast<uint32_t>(mask == 0 ? 32 : std::countr_zero(mask));
      if (shift > 24 || shift % 8 != 0 || mask >> shift != 255) {
        refuse_bmp("only masks of 8 bits are supported");
      }
      h.rgb_offsets[c] = shift / 8;
    }
  } else if (compression != kUncompressed) {
    refuse_bmp("compressed pixels are not supported");
  }
  if (h.bits <= 8 && (h.colors == 0 || h.colors > 1U << h.bits)) h.colors = 1U << h.bits;
  return h;
}

}  // namespace

Tensor decode_bmp(std::string_view data, const ImageOptions& options) {
  const BmpBytes bytes(data);
  const BmpHeader h = parse_header(bytes);
  // All rows must be present; checked before memory is allocated.
  const auto width = static_cast<uint64_t>(h.width);
  const uint64_t stride = (width * h.bits + 31) / 32 * 4;
  if (h.width > 0 && h.height > 0 && width < uint64_t{1} << 24 &&
      (h.pixels > bytes.size() ||
       stride > (bytes.size() - h.pixels) / static_cast<uint64_t>(h.height))) {
    refuse_bmp("it is truncated");
  }
  Tensor image = new_image("BMP", 1, h.height, h.width, 3, options);
  auto* to = image.mutable_data<uint8_t>();
  for (int64_t row = 0; row < h.height; ++row) {
    const int64_t from = h.top_down ? row : h.height - 1 - row;
    const size_t begin = h.pixels + static_cast<size_t>(from) * stride;
    for (size_t x = 0; x < width; ++x, to += 3) {
      if (h.bits >= 24) {
        const size_t pixel = begin + x * (h.bits / 8);
        for (size_t c = 0; c < 3; ++c) to[c] = bytes.at(pixel + h.rgb_offsets[c]);
        continue;
      }
      const size_t bit = x * h.bits;
      const uint32_t shift = 8 - h.bits - static_cast<uint32_t>(bit % 8);
      const uint32_t index = (uint32_t{bytes.at(begin + bit / 8)} >> shift) & ((1U << h.bits) - 1);
      if (index >= h.colors) refuse_bmp("a pixel is outside of the palette");
      const size_t entry = h.palette + index * h.palette_entry;
      for (size_t c = 0; c < 3; ++c) to[c] = bytes.at(entry + 2 - c);
    }
  }
  return image;
}

}  // namespace antler::io::image
