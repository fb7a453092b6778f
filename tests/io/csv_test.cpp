#include "antler/io/csv.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler::io {
namespace {

TEST(Csv, ColumnsOfNumbersAndTextsWithAHeader) {
  const CsvTable table = parse_csv("size,kind,price\r\n1,a,2.5\r\n-3e1, b ,+4\r\n");
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.columns[0].numbers, (std::vector<double>{1, -30}));
  EXPECT_FALSE(table.columns[1].is_number);
  EXPECT_EQ(table.columns[1].strings, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.columns[2].numbers, (std::vector<double>{2.5, 4}));
  EXPECT_EQ(table.find("price"), 2);
  EXPECT_EQ(table.find("none"), -1);
}

TEST(Csv, QuotedFieldsHoldSeparatorsQuotesAndLineBreaks) {
  const CsvTable table =
      parse_csv("\"a, b\",\"say \"\"x\"\"\"\n\"two\nlines\",c\n", {.header = "yes"});
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].name, "a, b");
  EXPECT_EQ(table.columns[1].name, "say \"x\"");
  EXPECT_EQ(table.columns[0].strings[0], "two\nlines");
}

TEST(Csv, MissingValuesStayNumbers) {
  const CsvTable table = parse_csv("x,y\n1,\nNA,2\n");
  EXPECT_TRUE(table.columns[0].is_number);
  EXPECT_TRUE(std::isnan(table.columns[0].numbers[1]));
  EXPECT_EQ(table.columns[0].count_missing(), 1);
  EXPECT_EQ(table.columns[1].numbers[1], 2);
}

TEST(Csv, NoHeaderWhereTheFirstLineLooksLikeTheOthers) {
  const CsvTable table = parse_csv("1,a\n2,b");
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.columns[1].name, "column_1");
}

TEST(Csv, ByteOrderMarkAndOtherSeparators) {
  const CsvTable table = parse_csv("\xEF\xBB\xBFx;y\n1;2\n", {.separator = ';'});
  EXPECT_EQ(table.columns[0].name, "x");
  EXPECT_EQ(table.columns[1].numbers[0], 2);
}

TEST(Csv, TheSeparatorIsFoundInTheFirstLine) {
  const CsvOptions found{.separator = '\0'};
  for (const char* text :
       {"a,b;,c\n1,2,3\n", "\n\"a;,,\";b;c\n1,5;2;3\n", "a\tb\tc\n1\t2\t3", "a|b|c\n1|2|3"}) {
    EXPECT_EQ(parse_csv(text, found).columns.size(), 3U) << text;
  }
  EXPECT_EQ(parse_csv("word\nother\n", found).columns.size(), 1U);
}

TEST(Csv, NumbersBeyondAllDoublesAreNumbers) {
  const CsvTable table = parse_csv("x\n1e999\n-1e999\n1e-999\n2\n", {.header = "yes"});
  ASSERT_TRUE(table.columns[0].is_number);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(table.columns[0].numbers, (std::vector<double>{infinity, -infinity, 0, 2}));
}

TEST(Csv, ColumnsOfNumbersAreTextsOnRequestAndUnnamedOnesGetNames) {
  const CsvTable table = parse_csv(",zip,x\n7,01067,1\n8,,2\n", {.text_columns = {"zip"}});
  EXPECT_EQ(table.columns[0].name, "column_0");
  EXPECT_FALSE(table.columns[1].is_number);
  EXPECT_EQ(table.columns[1].strings, (std::vector<std::string>{"01067", ""}));
  EXPECT_TRUE(table.columns[2].is_number);
}

TEST(Csv, DamagedTextIsRefusedWithTheLine) {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_csv(text);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("a,b\n1,2\n3\n").find("Line 3 has 1 fields"), std::string::npos);
  EXPECT_NE(message("a,b\n1,\"2\n").find("Line 2: the quoted field is not terminated"),
            std::string::npos);
  EXPECT_NE(message("a\n\"x\"y\n").find("Line 2: unexpected characters after"), std::string::npos);
  EXPECT_EQ(parse_csv("").rows, 0);
}

}  // namespace
}  // namespace antler::io
