#include "base/strings.h"

#include <gtest/gtest.h>

#include <vector>

namespace antler {
namespace {

TEST(StringsTest, LowersLettersOnly) { EXPECT_EQ(to_lower("AbZ-_9\xC3\x84"), "abz-_9\xC3\x84"); }

TEST(StringsTest, JoinsWithSeparators) {
  EXPECT_EQ(join(std::vector<std::string>{}), "");
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "b"}), "a, , b");
  EXPECT_EQ(join(std::vector<int>{1, 2}, "+", [](int i) { return std::to_string(i); }), "1+2");
}

}  // namespace
}  // namespace antler
