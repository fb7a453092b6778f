#include "io/chart_canvas.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/markup.h"
#include "io/png.h"

namespace antler::io {
namespace {

constexpr Color kInk = 0x303030;

/// The five rows of a character; an octal digit encodes the three dots of a row.
const char* glyph(char c) {
  static const char* const kDigits[] = {"75557", "26227", "71747", "71717", "55711",
                                        "74717", "74757", "71122", "75757", "75717"};
  static const char* const kLetters[] = {
      "25755", "65656", "34443", "65556", "74647", "74644", "34553", "55755", "72227",
      "11152", "55655", "44447", "57755", "65555", "25552", "65644", "25573", "65655",
      "34216", "72222", "55557", "55552", "55775", "55255", "55222", "71247"};
  if (c >= '0' && c <= '9') return kDigits[c - '0'];
  if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
    return kLetters[std::toupper(static_cast<unsigned char>(c)) - 'A'];
  }
  switch (c) {
    case '.':
      return "00002";
    case '-':
      return "00700";
    case '+':
      return "02720";
    case '_':
      return "00007";
    case '/':
      return "11244";
    case ':':
      return "02020";
    default:
      return "00000";
  }
}

}  // namespace

SvgCanvas::SvgCanvas(int width, int height)
    : svg_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                       "viewBox=\"0 0 {0} "
                       "{1}\" font-family=\"sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" "
                       "fill=\"#ffffff\"/>\n",
                       width, height)) {}

SvgCanvas SvgCanvas::inline_(int width, int height) {
  SvgCanvas canvas;
  canvas.inline_style_ = true;
  canvas.svg_ = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" width=\"100%\" font-family=\"sans-serif\" role=\"img\">\n", width,
      height);
  return canvas;
}

std::string SvgCanvas::color_text(Color color) const {
  return inline_style_ ? fmt::format("var(--chart-{0:06x},#{0:06x})", color)
                       : fmt::format("#{:06x}", color);
}

void SvgCanvas::line(const std::vector<std::pair<double, double>>& points, Color color,
                     double width) {
  svg_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" points=\"",
                      color_text(color), width);
  for (const auto& [x, y] : points) svg_ += fmt::format("{:.1f},{:.1f} ", x, y);
  svg_ += "\"/>\n";
}

void SvgCanvas::text(double x, double y, std::string_view text, Anchor anchor, double size) {
  static const char* const kAnchors[] = {"start", "middle", "end"};
  svg_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}"
      "</text>\n",
      x, y, size, kAnchors[static_cast<int>(anchor)], color_text(kInk), markup_escaped(text));
}

PixelCanvas::PixelCanvas(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<size_t>(width) * static_cast<size_t>(height) * 3, 255) {}

void PixelCanvas::dot(int x, int y, int size, Color color) {
  for (int j = std::max(y, 0); j < std::min(y + size, height_); ++j) {
    for (int i = std::max(x, 0); i < std::min(x + size, width_); ++i) {
      uint8_t* pixel =
          pixels_.data() +
          (static_cast<size_t>(j) * static_cast<size_t>(width_) + static_cast<size_t>(i)) * 3;
      pixel[0] = static_cast<uint8_t>(color >> 16);
      pixel[1] = static_cast<uint8_t>(color >> 8);
      pixel[2] = static_cast<uint8_t>(color);
    }
  }
}

void PixelCanvas::line(const std::vector<std::pair<double, double>>& points, Color color,
                       double width) {
  const int size = std::max(1, static_cast<int>(std::lround(width)));
  for (size_t i = 0; i < points.size(); ++i) {
    const auto [x1, y1] = points[i];
    const auto [x0, y0] = points[i == 0 ? 0 : i - 1];
    const int steps = std::max(1, static_cast<int>(std::max(std::abs(x1 - x0), std::abs(y1 - y0))));
    for (int k = 0; k <= steps; ++k) {
      const double t = static_cast<double>(k) / steps;
      dot(static_cast<int>(std::lround(x0 + t * (x1 - x0))),
          static_cast<int>(std::lround(y0 + t * (y1 - y0))), size, color);
    }
  }
}

void PixelCanvas::text(double x, double y, std::string_view text, Anchor anchor, double size) {
  const int scale = std::max(1, static_cast<int>(size / 6));
  const int advance = 4 * scale;
  const int length = advance * static_cast<int>(text.size());
  int left = static_cast<int>(x);
  if (anchor == Anchor::middle) left -= length / 2;
  if (anchor == Anchor::end) left -= length;
  const int top = static_cast<int>(y) - 5 * scale;
  for (const char c : text) {
    const char* rows = glyph(c);
    for (int row = 0; row < 5; ++row) {
      for (int column = 0; column < 3; ++column) {
        if (((rows[row] - '0') >> (2 - column) & 1) == 0) continue;
        dot(left + column * scale, top + row * scale, scale, kInk);
      }
    }
    left += advance;
  }
}

std::string PixelCanvas::png() const { return encode_png(pixels_, height_, width_, 3); }

}  // namespace antler::io
