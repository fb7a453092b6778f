#pragma once

#include <string>
#include <vector>

namespace antler::io {

/// Curves over a common axis, drawn without any library.
struct LineChart {
  struct Series {
    std::string name;
    std::vector<double> x;
    std::vector<double> y;  ///< values that are not finite leave a gap
  };
  std::string title;
  std::string x_label;
  std::vector<Series> series;

  /// A whole SVG document.
  std::string to_svg(int width = 640, int height = 360) const;
  /// For a terminal: braille dots, `columns` by `lines` characters with axes and legend.
  std::string to_terminal(int columns = 72, int lines = 12) const;
};

/// Charts below each other in one SVG document.
std::string charts_svg(const std::vector<LineChart>& charts, int width = 640, int height = 360);
/// The same as a PNG file, for where no SVG is shown; the only text are the numbers of the axes,
/// and names in a small font of capital letters.
std::string charts_png(const std::vector<LineChart>& charts, int width = 640, int height = 360);

}  // namespace antler::io
