#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antler::io {

using Color = uint32_t;  // 0xRRGGBB

enum class Anchor : uint8_t { start, middle, end };

/// A surface for drawing charts. Coordinates are pixels from the upper left corner.
class ChartCanvas {
 public:
  virtual ~ChartCanvas() = default;
  virtual void line(const std::vector<std::pair<double, double>>& points, Color color,
                    double width) = 0;
  /// `y` is the baseline.
  virtual void text(double x, double y, std::string_view text, Anchor anchor, double size) = 0;
};

class SvgCanvas final : public ChartCanvas {
 public:
  SvgCanvas(int width, int height);
  /// For a page: no size and background, and the CSS variables of LineChart::to_inline_svg().
  static SvgCanvas inline_(int width, int height);
  void line(const std::vector<std::pair<double, double>>& points, Color color,
            double width) override;
  void text(double x, double y, std::string_view text, Anchor anchor, double size) override;
  std::string document() const { return svg_ + "</svg>\n"; }

 private:
  SvgCanvas() = default;
  std::string color_text(Color color) const;
  std::string svg_;
  bool inline_style_ = false;
};

/// RGB pixels. Text is drawn in capital letters of three by five dots.
class PixelCanvas final : public ChartCanvas {
 public:
  PixelCanvas(int width, int height);
  void line(const std::vector<std::pair<double, double>>& points, Color color,
            double width) override;
  void text(double x, double y, std::string_view text, Anchor anchor, double size) override;
  std::string png() const;

 private:
  void dot(int x, int y, int size, Color color);
  int width_;
  int height_;
  std::vector<uint8_t> pixels_;
};

}  // namespace antler::io
