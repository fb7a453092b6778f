#include "antler/version.h"

#include <gtest/gtest.h>

#include <string>

namespace antler {
namespace {

TEST(Version, NumberAndTextAgree) {
  EXPECT_EQ(std::to_string(ANTLER_VERSION_NUMBER / 1000000) + "." +
                std::to_string(ANTLER_VERSION_NUMBER / 1000 % 1000) + "." +
                std::to_string(ANTLER_VERSION_NUMBER % 1000),
            ANTLER_VERSION);
}

}  // namespace
}  // namespace antler
