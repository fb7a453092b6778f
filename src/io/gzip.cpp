#include "antler/io/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "antler/base/error.h"

namespace antler::io {
namespace {

/// Owner of zlib's state.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) {
      throw IOError("Cannot read gzip data: zlib cannot be initialized.");
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

/// zlib's sizes have 32 bits.
uInt piece(size_t bytes) {
  return static_cast<uInt>(std::min<size_t>(bytes, std::numeric_limits<uInt>::max()));
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gunzip(std::string_view bytes, uint64_t max_bytes) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::string result;
  size_t done = 0;
  for (;;) {
    // One byte more than allowed shows that the data is too large.
    if (done == result.size()) {
      const uint64_t wanted = std::max<uint64_t>(2 * result.size(), 4 * bytes.size() + 1024);
      result.resize(static_cast<size_t>(std::min<uint64_t>(wanted, max_bytes + 1)));
    }
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = piece(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + done);
    stream.avail_out = piece(result.size() - done);
    const uInt in = stream.avail_in;
    const uInt out = stream.avail_out;
    const int code = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(in - stream.avail_in);
    done += out - stream.avail_out;
    if (done > max_bytes) {
      throw IOError("The gzip data has more than {} bytes.", max_bytes);
    }
    if (code == Z_STREAM_END) break;
    if (code == Z_BUF_ERROR && bytes.empty()) throw IOError("The gzip data is truncated.");
    if (code != Z_OK) {
      throw IOError("The gzip data is corrupt: {}.",
                    stream.msg != nullptr ? stream.msg : zError(code));
    }
  }
  if (!bytes.empty()) throw IOError("The gzip data is followed by other bytes.");
  result.resize(done);
  return result;
}

}  // namespace antler::io
