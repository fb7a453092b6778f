#include <csetjmp>
#include <cstddef>
#include <cstdio>
// jpeglib.h needs size_t and FILE before it.
#include <jerror.h>
#include <jpeglib.h>

#include <vector>

#include "antler/base/error.h"
#include "io/image/decoders.h"

namespace antler::io::image {
namespace {

/// libjpeg reports errors by calling a function that must not return. This one jumps back to the
/// caller.
struct JpegErrors {
  jpeg_error_mgr manager;  // first, because libjpeg passes a pointer to it
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = {};
};

[[noreturn]] void fail(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->jump, 1);
}

/// Turns the warning about a truncated file into an error; libjpeg would fill the image with grey.
/// Other warnings are about extra bytes between segments, which many cameras write.
void on_message(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) fail(info);
}

/// A small progressive file can request thousands of passes over all pixels.
void limit_scans(j_common_ptr info) {
  constexpr int kMaxScans = 500;
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans) {
    info->err->msg_code = JERR_BAD_PROGRESSION;
    fail(info);
  }
}

/// A libjpeg decoder. Its functions return false on errors. They have no local variables with a
/// destructor, because errors jump over them.
class JpegDecoder {
 public:
  JpegDecoder() {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = fail;
    errors_.manager.emit_message = on_message;
    progress_.progress_monitor = limit_scans;
  }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }

  bool read_header(std::string_view bytes, int64_t channels) {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&info_, TRUE);
    if (info_.num_components == 4) {
      info_.out_color_space = JCS_CMYK;
    } else {
      const bool grey = channels == 1 || (channels == 0 && info_.num_components == 1);
      info_.out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    }
    jpeg_calc_output_dimensions(&info_);
    return true;
  }

  /// Writes row-major pixels of info().output_components samples each.
  bool read_pixels(uint8_t* pixels) {
    if (setjmp(errors_.jump) != 0) return false;
    // As in tf.io.decode_image. Differs from the slow transform by at most half a grey level.
    info_.dct_method = JDCT_IFAST;
    jpeg_start_decompress(&info_);
    const size_t stride =
        static_cast<size_t>(info_.output_width) * static_cast<size_t>(info_.output_components);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = pixels + info_.output_scanline * stride;
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  const jpeg_decompress_struct& info() const { return info_; }
  const char* message() const { return errors_.message; }

 private:
  jpeg_decompress_struct info_{};
  JpegErrors errors_{};
  jpeg_progress_mgr progress_{};
};

/// Converts CMYK to RGB. Files by Adobe have inverted values.
Tensor rgb_of_cmyk(const Tensor& cmyk, bool inverted) {
  Tensor rgb = Tensor::empty(DType::uint8, {cmyk.shape()[0], cmyk.shape()[1], 3});
  const uint8_t* from = cmyk.data<uint8_t>();
  auto* to = rgb.mutable_data<uint8_t>();
  for (int64_t i = 0; i < cmyk.size(); i += 4, from += 4, to += 3) {
    const int light = inverted ? from[3] : 255 - from[3];
    for (int c = 0; c < 3; ++c) {
      to[c] = static_cast<uint8_t>((inverted ? from[c] : 255 - from[c]) * light / 255);
    }
  }
  return rgb;
}

}  // namespace

Tensor decode_jpeg(std::string_view bytes, const ImageOptions& options) {
  JpegDecoder decoder;
  const auto refuse = [&decoder] {
    throw IOError("The JPEG image is corrupt: {}.", decoder.message());
  };
  if (!decoder.read_header(bytes, options.channels)) refuse();
  const jpeg_decompress_struct& info = decoder.info();
  const bool cmyk = info.out_color_space == JCS_CMYK;
  Tensor image =
      new_image("JPEG", 1, info.output_height, info.output_width, info.output_components, options);
  if (!decoder.read_pixels(image.mutable_data<uint8_t>())) refuse();
  return cmyk ? rgb_of_cmyk(image, info.saw_Adobe_marker != FALSE) : image;
}

}  // namespace antler::io::image
