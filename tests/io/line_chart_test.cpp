#include "antler/io/line_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "antler/io/image.h"

namespace antler::io {
namespace {

LineChart falling() {
  return {"loss <a&b>",
          "epoch",
          {{"loss", {1, 2, 3, 4}, {8, 4, 2, 0}},
           {"val_loss", {1, 2, 3, 4}, {8, std::numeric_limits<double>::quiet_NaN(), 3, 1}}}};
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(LineChart, SvgHasCurvesAxesAndEscapedTexts) {
  const std::string svg = falling().to_svg(400, 200);
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "loss &lt;a&amp;b&gt;"), 1);
  // The first curve from the upper left of the plot to its lower right.
  EXPECT_NE(svg.find("points=\"64.0,36.0 170.7,92.0 277.3,120.0 384.0,148.0 \""), std::string::npos)
      << svg;
  // A gap: two pieces of the second curve, and its mark in the legend.
  EXPECT_EQ(count(svg, "stroke=\"#d55e00\""), 3);
  EXPECT_EQ(count(charts_svg({falling(), falling()}), "stroke=\"#d55e00\""), 6);
}

TEST(LineChart, PngHasTheColorsWhereTheCurvesAre) {
  const Tensor image = decode_image(charts_png({falling()}, 400, 200));
  ASSERT_EQ(image.shape(), Shape({200, 400, 3}));
  constexpr ptrdiff_t kSecondPoint = (92L * 400 + 171) * 3;
  const auto* first = image.data<uint8_t>() + kSecondPoint;
  EXPECT_EQ(first[0], 0x00);
  EXPECT_EQ(first[1], 0x72);
  EXPECT_EQ(first[2], 0xb2);
}

TEST(LineChart, InlineSvgLeavesColorsAndTitleToThePage) {
  LineChart chart = falling();
  chart.y_range = {0, 16};
  const std::string svg = chart.to_inline_svg(420, 240);
  EXPECT_EQ(count(svg, "loss"), 0);
  EXPECT_EQ(count(svg, "<rect"), 0);
  EXPECT_EQ(count(svg, "stroke=\"var(--chart-0072b2,#0072b2)\""), 1);
  // The value 8 is in the middle of the range.
  EXPECT_NE(svg.find("points=\"56.0,107.0 "), std::string::npos) << svg;
  // Whole epochs have no ticks between them.
  EXPECT_EQ(count(svg, ">1.5<"), 0);
}

TEST(LineChart, TerminalPlotGoesDown) {
  const std::string text = falling().to_terminal(31, 4);
  EXPECT_EQ(count(text, "\n"), 1 + 4 + 2);
  EXPECT_TRUE(text.starts_with("loss <a&b>\n         8 \xe2")) << text;
  EXPECT_NE(text.find("dotted: val_loss"), std::string::npos);
  // A curve of one value, and a chart without curves.
  EXPECT_EQ(count(LineChart{"x", "epoch", {{"x", {1}, {5}}}}.to_terminal(), "\n"), 14);
  EXPECT_FALSE(LineChart{}.to_svg().empty());
}

}  // namespace
}  // namespace antler::io
