#include "antler/base/format.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler {
namespace {

struct WithStr {
  std::string str() const { return "(2, 3)"; }
};

enum class Fruit { apple };
std::string to_string(Fruit) { return "apple"; }

TEST(Format, PrintsStringsNumbersAndWhatPrintsItself) {
  const std::string owned = "owned";
  const char* pointer = "pointer";
  EXPECT_EQ(format("{} {} {}", "literal", owned, pointer), "literal owned pointer");
  EXPECT_EQ(format("{} {} {}", WithStr(), Fruit::apple, 'c'), "(2, 3) apple c");
  EXPECT_EQ(format("{} {} {}", -3, uint64_t{18446744073709551615U}, true),
            "-3 18446744073709551615 true");
}

TEST(Format, NumbersHaveTheFewestDigitsThatReadBackEqual) {
  EXPECT_EQ(format("{} {} {} {}", 1.5, 1e-9, 0.1F, 2.0), "1.5 1e-09 0.1 2");
  EXPECT_EQ(format("{:.3f} {:>4}", 0.12345, 7), "0.123    7");
}

TEST(Format, DoubledBracesAreLiteral) { EXPECT_EQ(format("{{{}}}", 1), "{1}"); }

TEST(Format, ErrorsTakePatterns) {
  const ValueError error("`units` must be positive. Received: units={}", -1);
  EXPECT_STREQ(error.what(), "`units` must be positive. Received: units=-1");
  // A message alone is not a pattern.
  EXPECT_STREQ(ValueError("braces {} stay").what(), "braces {} stay");
}

}  // namespace
}  // namespace antler
