#include "base/base64.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace antler {
namespace {

TEST(Base64, OfRfc4648) {
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, RoundTripOfAllBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesOtherStrings) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg=A", "=g==", "Zh==", "Zm9v\n", "Zm-v", "===="}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace antler
