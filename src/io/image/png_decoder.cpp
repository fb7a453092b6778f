#include <png.h>

#include <csetjmp>
#include <cstring>
#include <vector>

#include "antler/base/error.h"
#include "io/image/decoders.h"

namespace antler::io::image {
namespace {

struct PngSource {
  std::string_view left;
  std::string message;
};

void read_bytes(png_structp png, png_bytep to, size_t count) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (source->left.size() < count) png_error(png, "the data is truncated");
  std::memcpy(to, source->left.data(), count);
  source->left.remove_prefix(count);
}

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  static_cast<PngSource*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

/// A libpng reader. Its functions return false on errors. They have no local variables with a
/// destructor, because errors jump over them.
class PngReader {
 public:
  explicit PngReader(std::string_view bytes) : source_{bytes, {}} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw IOError("Cannot read PNG images: libpng cannot be initialized.");
    }
    png_set_read_fn(png_, &source_, read_bytes);
    // Text and profiles are not needed, but libpng reads them: limit their size.
    png_set_chunk_malloc_max(png_, png_alloc_size_t{1} << 23);
    png_set_user_limits(png_, 1U << 24, 1U << 24);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  /// Requests 8-bit samples without a palette.
  bool read_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_info(png_, info_);
    png_set_strip_16(png_);
    png_set_expand(png_);  // palettes, small depths, and a transparent color as alpha
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  /// Reads row by row. An interlaced image takes several passes over all rows.
  bool read_pixels(uint8_t* pixels) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    const size_t stride = png_get_rowbytes(png_, info_);
    for (int pass = 0; pass < passes_; ++pass) {
      for (size_t row = 0; row < png_get_image_height(png_, info_); ++row) {
        png_read_row(png_, pixels + row * stride, nullptr);
      }
    }
    png_read_end(png_, nullptr);
    return true;
  }

  int64_t height() const { return png_get_image_height(png_, info_); }
  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t channels() const { return png_get_channels(png_, info_); }
  const std::string& message() const { return source_.message; }

 private:
  PngSource source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
};

}  // namespace

Tensor decode_png(std::string_view bytes, const ImageOptions& options) {
  PngReader reader(bytes);
  const auto refuse = [&reader] {
    throw IOError("The PNG image is corrupt: {}.", reader.message());
  };
  if (!reader.read_header()) refuse();
  Tensor image = new_image("PNG", 1, reader.height(), reader.width(), reader.channels(), options);
  if (!reader.read_pixels(image.mutable_data<uint8_t>())) refuse();
  return image;
}

}  // namespace antler::io::image
