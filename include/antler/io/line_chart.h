#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace antler::io {

/// Curves over a common axis.
struct LineChart {
  /// One curve.
  struct Series {
    std::string name = {};
    std::vector<double> x = {};
    std::vector<double> y = {};  ///< values that are not finite leave gaps
  };
  std::string title = {};
  std::string x_label = {};
  std::vector<Series> series = {};
  /// The ranges of the axes, to draw charts to the same scale; not given: from the values.
  std::optional<std::pair<double, double>> x_range = {};
  std::optional<std::pair<double, double>> y_range = {};

  /// An SVG document.
  std::string to_svg(int width = 640, int height = 360) const;
  /// An SVG element for an HTML page, as wide as its container and without a background. It has no
  /// title and no legend; the page shows them. A color 0xRRGGBB can be changed by setting the CSS
  /// variable --chart-rrggbb, for example in a dark page.
  std::string to_inline_svg(int width = 420, int height = 240) const;
  /// For a terminal: a plot of braille characters, `columns` wide and `lines` high, with axes and a
  /// legend.
  std::string to_terminal(int columns = 72, int lines = 12) const;
};

/// The color 0xRRGGBB of the curve with this index, the same in all charts. Colors repeat after
/// the tenth.
uint32_t series_color(size_t index);

/// Charts one below the other in one SVG document.
std::string charts_svg(const std::vector<LineChart>& charts, int width = 640, int height = 360);
/// The same as a PNG file. Titles, labels and names are in a small font of capital letters.
std::string charts_png(const std::vector<LineChart>& charts, int width = 640, int height = 360);

}  // namespace antler::io
