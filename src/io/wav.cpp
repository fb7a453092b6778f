#include "antler/io/wav.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "antler/base/error.h"
#include "io/little_endian.h"

// WAV is decoded here because only linear PCM is needed, and a library would be one more
// dependency.
namespace antler::io {
namespace {

constexpr uint16_t kPcm = 1;
constexpr uint16_t kExtensible = 0xFFFE;  // the actual format is in the chunk's extension

struct Format {
  int64_t channels = 0;
  int64_t sample_rate = 0;
  int64_t bits = 0;
};

Format read_format(std::string_view chunk) {
  if (chunk.size() < 16) throw IOError("WAV: the format chunk is too short.");
  uint16_t code = read_little_endian<uint16_t>(chunk);
  if (code == kExtensible && chunk.size() >= 26) {
    code = read_little_endian<uint16_t>(chunk.substr(24));
  }
  if (code != kPcm) {
    throw IOError("WAV: only linear PCM (format 1) is supported. The file has format {}.", code);
  }
  const Format format{.channels = read_little_endian<uint16_t>(chunk.substr(2)),
                      .sample_rate = read_little_endian<uint32_t>(chunk.substr(4)),
                      .bits = read_little_endian<uint16_t>(chunk.substr(14))};
  if (format.channels < 1) throw IOError("WAV: the file has no channels.");
  if (format.bits != 8 && format.bits != 16 && format.bits != 24 && format.bits != 32) {
    throw IOError("WAV: only samples of 8, 16, 24 or 32 bits are supported. The file has {} bits.",
                  format.bits);
  }
  const auto frame = read_little_endian<uint16_t>(chunk.substr(12));
  if (frame != format.channels * format.bits / 8) {
    throw IOError(
        "WAV: the file has {} bytes for {} channel(s) of {} bits. Padded samples are not "
        "supported.",
        frame, format.channels, format.bits);
  }
  return format;
}

/// The sample at the start of `bytes`, in [-1, 1).
float read_sample(std::string_view bytes, int64_t bits) {
  if (bits == 8) return static_cast<float>(static_cast<uint8_t>(bytes[0]) - 128) / 128.0F;
  // The sample goes into the highest bytes of 32 bits, so that its sign is kept.
  uint32_t word = 0;
  for (int64_t i = 0; i < bits / 8; ++i) {
    const auto byte = static_cast<uint32_t>(static_cast<uint8_t>(bytes[static_cast<size_t>(i)]));
    word |= byte << (32 - bits + 8 * i);
  }
  return static_cast<float>(std::ldexp(static_cast<double>(static_cast<int32_t>(word)), -31));
}

}  // namespace

Audio decode_wav(std::string_view bytes, const DecodeWavOptions& options) {
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE") {
    throw IOError("WAV: this is not a WAV file.");
  }
  std::optional<Format> format;
  size_t at = 12;
  while (at + 8 <= bytes.size()) {
    const std::string_view name = bytes.substr(at, 4);
    const size_t size = read_little_endian<uint32_t>(bytes.substr(at + 4));
    const std::string_view chunk = bytes.substr(at + 8, size);
    if (name == "fmt ") {
      format = read_format(chunk);
    } else if (name == "data") {
      if (!format) throw IOError("WAV: the format chunk is missing.");
      if (chunk.size() < size) throw IOError("WAV: the samples are truncated.");
      const int64_t width = format->bits / 8;
      const int64_t available = static_cast<int64_t>(size) / (width * format->channels);
      const int64_t samples = options.desired_samples.value_or(available);
      const int64_t channels = options.desired_channels.value_or(format->channels);
      if (samples < 0 || channels < 1)
        throw ValueError(
            "decode_wav: `desired_samples` must not be negative, and `desired_channels` must be "
            "positive. Received: desired_samples={}, desired_channels={}",
            samples, channels);
      Tensor audio = Tensor::zeros(DType::float32, {samples, channels});
      float* to = audio.mutable_data<float>();
      for (int64_t i = 0; i < std::min(samples, available); ++i) {
        for (int64_t c = 0; c < channels; ++c) {
          const int64_t from = i * format->channels + std::min(c, format->channels - 1);
          to[i * channels + c] =
              read_sample(chunk.substr(static_cast<size_t>(from * width)), format->bits);
        }
      }
      return {.samples = audio, .sample_rate = format->sample_rate};
    }
    at += 8 + size + size % 2;  // chunks begin at even offsets
  }
  throw IOError("WAV: the file has no samples.");
}

}  // namespace antler::io
