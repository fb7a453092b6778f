#include "antler/io/image.h"

#include <gtest/gtest.h>

#include <cstring>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/npy.h"
#include "io/png.h"
#include "support/paths.h"

namespace antler::io {
namespace {

const std::filesystem::path kImages = test::data_dir() / "images";

/// The result of tf.io.decode_image for each file, or of Pillow if TensorFlow cannot read it.
const NamedTensors& expected() {
  static const NamedTensors arrays = load_npz((kImages / "expected.npz").string());
  return arrays;
}

TEST(Image, EveryKindIsReadAsTensorFlowReadsIt) {
  int seen = 0;
  for (const auto& [name, want] : expected()) {
    if (name.starts_with("resize")) continue;
    SCOPED_TRACE(name);
    const bool animated = name.ends_with("gif");
    const Tensor image = load_image((kImages / name).string(), {.expand_animations = animated});
    ASSERT_EQ(image.shape(), want.shape());
    EXPECT_EQ(image.to_vector<uint8_t>(), want.to_vector<uint8_t>());
    if (animated) {
      const Tensor first = load_image((kImages / name).string());
      EXPECT_EQ(first.shape(), Shape({13, 18, 3}));
      EXPECT_EQ(std::memcmp(first.data(), want.data(), first.bytes()), 0);
    }
    ++seen;
  }
  EXPECT_EQ(seen, 16);
}

TEST(Image, ChannelsAreConverted) {
  const auto load = [](const char* name, int64_t channels) {
    return load_image((kImages / name).string(), {.channels = channels});
  };
  const Tensor rgba = load("rgba.png", 0);
  const Tensor rgb = load("rgba.png", 3);
  ASSERT_EQ(rgba.shape(), Shape({13, 18, 4}));
  ASSERT_EQ(rgb.shape(), Shape({13, 18, 3}));
  const Tensor grey = load("rgba.png", 1);
  for (int64_t i = 0; i < 13 * 18; ++i) {
    const uint8_t* pixel = rgba.data<uint8_t>() + 4 * i;
    EXPECT_EQ(std::memcmp(pixel, rgb.data<uint8_t>() + 3 * i, 3), 0);
    const double luma = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
    EXPECT_NEAR(grey.data<uint8_t>()[i], luma, 0.51);
  }
  const Tensor opaque = load("grey.jpg", 4);
  EXPECT_EQ(opaque.shape(), Shape({13, 18, 4}));
  EXPECT_EQ(opaque.data<uint8_t>()[3], 255);
  EXPECT_EQ(opaque.data<uint8_t>()[0], opaque.data<uint8_t>()[2]);
  EXPECT_EQ(load("rgb.jpg", 1).shape(), Shape({13, 18, 1}));
  EXPECT_THROW(load("rgb.png", 2), ValueError);
  EXPECT_EQ(image_format(read_file((kImages / "cmyk.jpg").string())), "jpeg");
  EXPECT_EQ(image_format("text"), "");
}

TEST(Image, CutFilesAreRefusedWithoutTakingMemory) {
  for (const char* name : {"rgb.jpg", "progressive.jpg", "rgb.png", "rgb.bmp", "palette.bmp",
                           "still.gif", "animated.gif"}) {
    const std::string bytes = read_file((kImages / name).string());
    for (size_t size = 0; size < bytes.size() * 3 / 4; size += 7) {
      EXPECT_THROW(decode_image(bytes.substr(0, size), {.expand_animations = true}), IOError)
          << name << " cut at " << size;
    }
    EXPECT_THROW(decode_image(bytes, {.max_pixels = 100}), IOError) << name;
  }
  // A PNG header with a size of 16 million x 16 million and the right checksum.
  std::string huge = read_file((kImages / "rgb.png").string());
  huge.replace(16, 8, std::string("\0\xff\xff\xff\0\xff\xff\xff", 8));
  EXPECT_THROW(decode_image(huge), IOError);
  EXPECT_THROW(decode_image("no image"), IOError);
  EXPECT_THROW(load_image("/nowhere/cat.png"), NotFoundError);
}

TEST(Image, WrittenPngsAreReadBack) {
  std::vector<uint8_t> samples(5 * 7 * 4);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<uint8_t>(i * 37);
  const Tensor image = decode_image(encode_png(samples, 5, 7, 4));
  EXPECT_EQ(image.shape(), Shape({5, 7, 4}));
  EXPECT_EQ(image.to_vector<uint8_t>(), samples);
}

}  // namespace
}  // namespace antler::io
