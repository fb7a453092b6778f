#include "antler/io/wav.h"

#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "io/little_endian.h"

namespace antler::io {
namespace {

std::string chunk(const std::string& name, const std::string& bytes) {
  std::string out = name;
  append_little_endian(out, static_cast<uint32_t>(bytes.size()));
  out += bytes;
  if (bytes.size() % 2 == 1) out += '\0';
  return out;
}

/// `container` is the number of bits that a sample takes in the file; 0: `bits`.
std::string format(uint16_t code, uint16_t channels, uint32_t rate, uint16_t bits,
                   uint16_t container = 0) {
  if (container == 0) container = bits;
  std::string out;
  append_little_endian(out, code);
  append_little_endian(out, channels);
  append_little_endian(out, rate);
  append_little_endian(out, static_cast<uint32_t>(rate * channels * container / 8));
  append_little_endian(out, static_cast<uint16_t>(channels * container / 8));
  append_little_endian(out, bits);
  return chunk("fmt ", out);
}

std::string wav(const std::string& chunks) { return chunk("RIFF", "WAVE" + chunks); }

std::string words(const std::vector<int16_t>& samples) {
  std::string out;
  for (const int16_t s : samples) append_little_endian(out, s);
  return out;
}

TEST(Wav, SixteenBitsAreTensorFlows) {
  const std::string file = wav(format(1, 2, 44100, 16) + chunk("LIST", "odd") +
                               chunk("data", words({0, 32767, -32768, 16384, -1, 1})));
  const Audio audio = decode_wav(file);
  EXPECT_EQ(audio.sample_rate, 44100);
  EXPECT_EQ(audio.samples.shape(), (Shape{3, 2}));
  EXPECT_EQ(audio.samples.to_doubles(),
            (std::vector<double>{0, 32767.0 / 32768, -1, 0.5, -1.0 / 32768, 1.0 / 32768}));
  EXPECT_EQ(decode_wav(file, {.desired_samples = 1}).samples.shape(), (Shape{1, 2}));
  const Tensor longer = decode_wav(file, {.desired_channels = 1, .desired_samples = 4}).samples;
  EXPECT_EQ(longer.to_doubles(), (std::vector<double>{0, -1, -1.0 / 32768, 0}));
}

TEST(Wav, OtherWidths) {
  const auto samples = [](uint16_t bits, const std::string& bytes) {
    return decode_wav(wav(format(1, 1, 8000, bits) + chunk("data", bytes))).samples.to_doubles();
  };
  EXPECT_EQ(samples(8, std::string("\x80\x00\xC0", 3)), (std::vector<double>{0, -1, 0.5}));
  EXPECT_EQ(samples(24, std::string("\x00\x00\x40\x00\x00\x80", 6)),
            (std::vector<double>{0.5, -1}));
  EXPECT_EQ(samples(32, std::string("\x00\x00\x00\xC0", 4)), (std::vector<double>{-0.5}));
}

TEST(Wav, WhatCannotBeReadIsSaid) {
  const std::string data = chunk("data", words({1, 2}));
  EXPECT_THROW(decode_wav("RIFF"), IOError);
  EXPECT_THROW(decode_wav(wav(data)), IOError);                           // no format
  EXPECT_THROW(decode_wav(wav(format(1, 1, 8000, 16))), IOError);         // no samples
  EXPECT_THROW(decode_wav(wav(format(3, 1, 8000, 32) + data)), IOError);  // floats
  EXPECT_THROW(decode_wav(wav(format(1, 1, 8000, 12) + data)), IOError);
  EXPECT_THROW(decode_wav(wav(format(1, 0, 8000, 16) + data)), IOError);
  EXPECT_THROW(decode_wav(wav(format(1, 1, 8000, 24, 32) + data)), IOError);
  std::string cut = wav(format(1, 1, 8000, 16) + data);
  cut.resize(cut.size() - 2);
  EXPECT_THROW(decode_wav(cut), IOError);
}

}  // namespace
}  // namespace antler::io
