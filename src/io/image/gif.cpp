#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "antler/base/error.h"
#include "io/image/decoders.h"

// GIF is decoded here because its library would be one more dependency, and because corrupt files
// must give an error in bounded memory, which the fuzzers check.
//
// As in CompuServe's specification of version 89a, a file is a list of blocks. Each image block is
// a rectangle of palette indices on a common canvas, compressed by LZW with codes of growing width.

namespace antler::io::image {
namespace {

constexpr int kNoColor = -1;
using Palette = std::vector<std::array<uint8_t, 3>>;

[[noreturn]] void refuse_gif(std::string_view why) {
  throw IOError("The GIF image is corrupt: {}.", why);
}

class GifBytes {
 public:
  explicit GifBytes(std::string_view bytes) : left_(bytes) {}
  std::string_view take(size_t count) {
    if (left_.size() < count) refuse_gif("it is truncated");
    const std::string_view part = left_.substr(0, count);
    left_.remove_prefix(count);
    return part;
  }
  uint8_t byte() { return static_cast<uint8_t>(take(1)[0]); }
  int64_t u16() {
    const int64_t low = byte();
    return low | int64_t{byte()} << 8;
  }
  /// The concatenated sub-blocks up to the empty one.
  std::string blocks() {
    std::string data;
    while (const uint8_t size = byte()) data += take(size);
    return data;
  }
  Palette palette(uint8_t flags) {
    Palette colors(size_t{2} << (flags & 7));
    for (auto& color : colors) std::memcpy(color.data(), take(3).data(), 3);
    return colors;
  }

 private:
  std::string_view left_;
};

/// Decompresses `count` palette indices from LZW codes.
std::vector<uint8_t> decompress(const std::string& data, int code_size, size_t count) {
  constexpr int kMaxCodes = 4096;
  if (code_size < 1 || code_size > 8) refuse_gif(format("its code size is {}", code_size));
  const int clear = 1 << code_size;
  const int end = clear + 1;
  // A code stands for the string of its prefix, followed by one byte.
  std::array<int16_t, kMaxCodes> prefix{};
  std::array<uint8_t, kMaxCodes> last{};
  std::array<uint8_t, kMaxCodes> first{};
  for (int i = 0; i < clear; ++i)
    last[static_cast<size_t>(i)] = first[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
  std::vector<uint8_t> out(count);
  std::array<uint8_t, kMaxCodes> string;  // of the current code, reversed
  size_t done = 0;
  int next = end + 1;
  int width = code_size + 1;
  int previous = -1;
  uint32_t bits = 0;
  int have = 0;
  for (size_t at = 0; done < count;) {
    while (have < width && at < data.size()) {
      bits |= uint32_t{static_cast<uint8_t>(data[at++])} << have;
      have += 8;
    }
    if (have < width) refuse_gif("the pixels are truncated");
    const int code = static_cast<int>(bits & ((1U << width) - 1));
    bits >>= width;
    have -= width;
    if (code == end) refuse_gif("the pixels end early");
    if (code == clear) {
      next = end + 1;
      width = code_size + 1;
      previous = -1;
      continue;
    }
    if (code > next || (code == next && previous < 0) || (code >= clear && code <= end)) {
      refuse_gif("a code is undefined");
    }
    if (previous >= 0 && next < kMaxCodes) {
      const auto entry = static_cast<size_t>(next);
      const int start = code == next ? previous : code;
      prefix[entry] = static_cast<int16_t>(previous);
      last[entry] = first[static_cast<size_t>(start)];
      first[entry] = first[static_cast<size_t>(previous)];
      ++next;
      if (next == 1 << width && width < 12) ++width;
    } else if (code >= next) {
      refuse_gif("a code is undefined");
    }
    size_t length = 0;
    for (int c = code;; c = prefix[static_cast<size_t>(c)]) {
      string[length++] = last[static_cast<size_t>(c)];
      if (c < clear) break;
    }
    for (; length > 0 && done < count; ++done) out[done] = string[--length];
    previous = code;
  }
  return out;
}

struct GifControl {
  int transparent = kNoColor;
  int disposal = 0;
};

/// The rows of an image in file order.
std::vector<int64_t> row_order(int64_t height, bool interlaced) {
  std::vector<int64_t> rows;
  if (!interlaced) {
    for (int64_t y = 0; y < height; ++y) rows.push_back(y);
    return rows;
  }
  constexpr int64_t kPasses[][2] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
  for (const auto& [start, step] : kPasses) {
    for (int64_t y = start; y < height; y += step) rows.push_back(y);
  }
  return rows;
}

class GifDecoder {
 public:
  GifDecoder(std::string_view bytes, const ImageOptions& options)
      : bytes_(bytes), options_(options) {
    bytes_.take(6);
    width_ = bytes_.u16();
    height_ = bytes_.u16();
    const uint8_t flags = bytes_.byte();
    bytes_.take(2);  // background color and aspect ratio, which decoders ignore
    if ((flags & 0x80) != 0) global_ = bytes_.palette(flags);
    canvas_ = new_image("GIF", 1, height_, width_, 4, options_);
    std::memset(canvas_.mutable_data(), 0, canvas_.bytes());
  }

  Tensor run() {
    while (!finished_) {
      switch (bytes_.byte()) {
        case 0x21:
          extension();
          break;
        case 0x2c:
          frame();
          break;
        case 0x3b:
          finished_ = true;
          break;
        default:
          refuse_gif("a block has an unknown type");
      }
    }
    if (count_ == 0) refuse_gif("it has no frame");
    if (!options_.expand_animations) return canvas_;
    Tensor result = new_image("GIF", count_, height_, width_, 4, options_);
    std::memcpy(result.mutable_data(), frames_.data(), frames_.size());
    return result;
  }

 private:
  void extension() {
    constexpr uint8_t kGraphicControl = 0xf9;
    const bool control = bytes_.byte() == kGraphicControl;
    const std::string data = bytes_.blocks();
    if (!control || data.size() < 4) return;
    const auto flags = static_cast<uint8_t>(data[0]);
    control_.disposal = (flags >> 2) & 7;
    control_.transparent = (flags & 1) != 0 ? static_cast<uint8_t>(data[3]) : kNoColor;
  }

  void frame() {
    const int64_t left = bytes_.u16();
    const int64_t top = bytes_.u16();
    const int64_t width = bytes_.u16();
    const int64_t height = bytes_.u16();
    const uint8_t flags = bytes_.byte();
    const Palette own = (flags & 0x80) != 0 ? bytes_.palette(flags) : Palette();
    const Palette& palette = own.empty() ? global_ : own;
    if (left + width > width_ || top + height > height_)
      refuse_gif("a frame extends beyond the canvas");
    const int code_size = bytes_.byte();
    const std::vector<uint8_t> indices =
        decompress(bytes_.blocks(), code_size, static_cast<size_t>(width * height));
    constexpr int kToBackground = 2;
    constexpr int kToPrevious = 3;
    std::string before;
    if (control_.disposal == kToPrevious) before = canvas_bytes();
    auto* canvas = canvas_.mutable_data<uint8_t>();
    const uint8_t* index = indices.data();
    for (const int64_t y : row_order(height, (flags & 0x40) != 0)) {
      uint8_t* to = canvas + ((top + y) * width_ + left) * 4;
      for (int64_t x = 0; x < width; ++x, to += 4, ++index) {
        if (*index == control_.transparent) continue;
        if (*index >= palette.size()) refuse_gif("a pixel is outside of the palette");
        std::memcpy(to, palette[*index].data(), 3);
        to[3] = 255;
      }
    }
    ++count_;
    if (!options_.expand_animations) {
      finished_ = true;
      return;
    }
    if (count_ * width_ * height_ > options_.max_pixels) {
      throw IOError("The frames of the GIF image have more than {} pixels.", options_.max_pixels);
    }
    frames_ += canvas_bytes();
    if (control_.disposal == kToPrevious) {
      std::copy(before.begin(), before.end(), canvas);
    } else if (control_.disposal == kToBackground) {
      for (int64_t y = top; y < top + height; ++y) {
        std::fill_n(canvas + (y * width_ + left) * 4, width * 4, uint8_t{0});
      }
    }
    control_ = {};
  }

  std::string canvas_bytes() const {
    return {static_cast<const char*>(canvas_.data()), canvas_.bytes()};
  }

  GifBytes bytes_;
  const ImageOptions& options_;
  int64_t width_ = 0;
  int64_t height_ = 0;
  Palette global_;
  Tensor canvas_;  // [height, width, 4]; alpha is 0 where nothing was drawn
  GifControl control_;
  int64_t count_ = 0;
  bool finished_ = false;
  std::string frames_;
};

}  // namespace

Tensor decode_gif(std::string_view bytes, const ImageOptions& options) {
  return GifDecoder(bytes, options).run();
}

}  // namespace antler::io::image
