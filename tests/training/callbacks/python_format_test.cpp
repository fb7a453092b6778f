#include "training/callbacks/python_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "antler/base/error.h"

namespace antler::training {
namespace {

// Expected texts are CPython's.

TEST(PythonRepr, ShortestDigits) {
  EXPECT_EQ(python_repr(0.5), "0.5");
  EXPECT_EQ(python_repr(3), "3.0");
  EXPECT_EQ(python_repr(-0.0), "-0.0");
  EXPECT_EQ(python_repr(1e-5), "1e-05");
  EXPECT_EQ(python_repr(0.0001), "0.0001");
  EXPECT_EQ(python_repr(123456789012345680.0), "1.2345678901234568e+17");
  EXPECT_EQ(python_repr(1e15), "1000000000000000.0");
  EXPECT_EQ(python_repr(1e16), "1e+16");
  EXPECT_EQ(python_repr(static_cast<double>(0.15F)), "0.15000000596046448");
  EXPECT_EQ(python_repr(std::nan("")), "nan");
  EXPECT_EQ(python_repr(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(PythonFormat, Integers) {
  EXPECT_EQ(python_format(int64_t{7}, "02d"), "07");
  EXPECT_EQ(python_format(int64_t{7}, ""), "7");
  EXPECT_EQ(python_format(int64_t{-7}, "04"), "-007");
  EXPECT_EQ(python_format(int64_t{7}, ">4"), "   7");
  EXPECT_EQ(python_format(int64_t{7}, "*^5d"), "**7**");
  EXPECT_EQ(python_format(int64_t{7}, "<3d"), "7  ");
  EXPECT_EQ(python_format(int64_t{1234567}, ","), "1,234,567");
  EXPECT_EQ(python_format(int64_t{255}, "#x"), "0xff");
  EXPECT_EQ(python_format(int64_t{255}, "X"), "FF");
  EXPECT_EQ(python_format(int64_t{5}, "+b"), "+101");
  EXPECT_EQ(python_format(int64_t{3}, ".2f"), "3.00");
  EXPECT_THROW(python_format(int64_t{3}, ".2d"), ValueError);
}

TEST(PythonFormat, Floats) {
  EXPECT_EQ(python_format(0.125, ".2f"), "0.12");
  EXPECT_EQ(python_format(2.0, ""), "2.0");
  EXPECT_EQ(python_format(2.0, ".3"), "2.0");
  EXPECT_EQ(python_format(1234.5, ".3"), "1.23e+03");
  EXPECT_EQ(python_format(123.4, ".3"), "1.23e+02");
  EXPECT_EQ(python_format(150.0, ".3"), "1.5e+02");
  EXPECT_EQ(python_format(99.96, ".3"), "1e+02");
  EXPECT_EQ(python_format(99.9, ".3"), "99.9");
  EXPECT_EQ(python_format(1.0, ".1"), "1e+00");
  EXPECT_EQ(python_format(0.0001234, "g"), "0.0001234");
  EXPECT_EQ(python_format(1234.5678, "10.2f"), "   1234.57");
  EXPECT_EQ(python_format(-1234.5678, "010.1f"), "-0001234.6");
  EXPECT_EQ(python_format(0.256, ".1%"), "25.6%");
  EXPECT_EQ(python_format(1e6, ",.1f"), "1,000,000.0");
  EXPECT_EQ(python_format(std::nan(""), ".2f"), "nan");
  EXPECT_THROW(python_format(0.5, "d"), ValueError);
  EXPECT_THROW(python_format(0.5, ".f"), ValueError);
  EXPECT_THROW(python_format(0.5, "2f2"), ValueError);
}

TEST(PythonFormat, Templates) {
  const std::map<std::string, PythonNumber> values = {{"epoch", int64_t{3}}, {"loss", 0.25}};
  const auto format = [&](const char* text) {
    return python_format_template(text, [&](const std::string& name) {
      const auto found = values.find(name);
      return found == values.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_EQ(format("w_{epoch:03d}-{loss:.1f}.h5"), "w_003-0.2.h5");
  EXPECT_EQ(format("{{{epoch}}}"), "{3}");
  EXPECT_THROW(format("{mae}"), KeyError);
  EXPECT_THROW(format("{epoch"), ValueError);
  EXPECT_THROW(format("epoch}"), ValueError);
}

}  // namespace
}  // namespace antler::training
