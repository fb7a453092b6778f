#pragma once

#include <string>
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

  /// An SVG document.
  std::string to_svg(int width = 640, int height = 360) const;
  /// For a terminal: a plot of braille characters, `columns` wide and `lines` high, with axes and a
  /// legend.
  std::string to_terminal(int columns = 72, int lines = 12) const;
};

/// Charts one below the other in one SVG document.
std::string charts_svg(const std::vector<LineChart>& charts, int width = 640, int height = 360);
/// The same as a PNG file. Titles, labels and names are in a small font of capital letters.
std::string charts_png(const std::vector<LineChart>& charts, int width = 640, int height = 360);

}  // namespace antler::io
