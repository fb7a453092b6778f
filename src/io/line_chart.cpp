#include "antler/io/line_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "io/chart_canvas.h"

namespace antler::io {
namespace {

// Distinguishable with color vision deficiency (the first six: Okabe and Ito).
constexpr std::array<Color, 10> kColors = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00,
                                           0x56b4e9, 0x332288, 0x882255, 0x808000, 0x777777};
constexpr Color kGrid = 0xdddddd;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  /// Makes the range non-empty.
  void widen() {
    if (!(low <= high)) low = high = 0;
    if (high - low > 1e-12 * std::max(std::abs(low), std::abs(high))) return;
    const double half = std::max(0.5 * std::abs(low), 0.5);
    low -= half;
    high += half;
  }
  double part(double v) const { return (v - low) / (high - low); }
};

std::pair<Range, Range> ranges_of(const LineChart& chart) {
  Range x;
  Range y;
  for (const auto& series : chart.series) {
    for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      x.add(series.x[i]);
      y.add(series.y[i]);
    }
  }
  if (chart.x_range) x = {chart.x_range->first, chart.x_range->second};
  if (chart.y_range) y = {chart.y_range->first, chart.y_range->second};
  x.widen();
  y.widen();
  return {x, y};
}

bool has_whole_x(const LineChart& chart) {
  for (const auto& series : chart.series) {
    for (const double x : series.x) {
      if (x != std::floor(x)) return false;
    }
  }
  return true;
}

/// About `count` round numbers within the range; `whole`: only whole numbers.
std::vector<double> ticks(const Range& range, int count, bool whole = false) {
  const double raw = (range.high - range.low) / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= raw) break;
  }
  if (whole) step = std::max(step, 1.0);
  std::vector<double> all;
  for (double v = std::ceil(range.low / step) * step; v <= range.high + 1e-9 * step; v += step) {
    all.push_back(std::abs(v) < 1e-9 * step ? 0 : v);
  }
  return all;
}

/// `bare`: without title and legend.
void draw(const LineChart& chart, ChartCanvas& canvas, double top, int width, int height,
          bool bare = false) {
  const double left = bare ? 56 : 64;
  const double right = width - (bare ? 10 : 16);
  const double upper = top + (bare ? 12 : 36);
  const double lower = top + height - (bare ? 38 : 52);
  const auto [x, y] = ranges_of(chart);
  const auto px = [&, &range = x](double v) { return left + range.part(v) * (right - left); };
  const auto py = [&, &range = y](double v) { return lower - range.part(v) * (lower - upper); };
  if (!bare) canvas.text(width / 2.0, top + 22, chart.title, Anchor::middle, 14);
  for (const double v : ticks(y, 5)) {
    canvas.line({{left, py(v)}, {right, py(v)}}, kGrid, 1);
    canvas.text(left - 6, py(v) + 4, fmt::format("{:.4g}", v), Anchor::end, 12);
  }
  for (const double v : ticks(x, 8, has_whole_x(chart))) {
    canvas.line({{px(v), lower}, {px(v), lower + 4}}, 0x808080, 1);
    canvas.text(px(v), lower + 18, fmt::format("{:.4g}", v), Anchor::middle, 12);
  }
  canvas.line({{left, upper}, {left, lower}, {right, lower}}, 0x808080, 1);
  double legend = left;
  for (size_t s = 0; s < chart.series.size(); ++s) {
    const auto& series = chart.series[s];
    const Color color = series_color(s);
    std::vector<std::pair<double, double>> points;
    const auto flush = [&] {
      if (points.size() == 1) points.push_back({points[0].first + 3, points[0].second});
      if (!points.empty()) canvas.line(points, color, 2);
      points.clear();
    };
    for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      if (std::isfinite(series.y[i])) {
        points.emplace_back(px(series.x[i]), py(series.y[i]));
      } else {
        flush();
      }
    }
    flush();
    if (bare) continue;
    canvas.line({{legend, lower + 36}, {legend + 18, lower + 36}}, color, 3);
    canvas.text(legend + 24, lower + 40, series.name, Anchor::start, 12);
    legend += 44 + 8.0 * static_cast<double>(series.name.size());
  }
  canvas.text(right, lower + (bare ? 34 : 40), chart.x_label, Anchor::end, 12);
}

/// The UTF-8 bytes of the braille character with these dots.
std::string braille(unsigned dots) {
  const unsigned code = 0x2800 + dots;
  return {static_cast<char>(0xe0 | (code >> 12)), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
          static_cast<char>(0x80 | (code & 0x3f))};
}

}  // namespace

std::string LineChart::to_svg(int width, int height) const {
  return charts_svg({*this}, width, height);
}

std::string LineChart::to_inline_svg(int width, int height) const {
  SvgCanvas canvas = SvgCanvas::inline_(width, height);
  draw(*this, canvas, 0, width, height, /*bare=*/true);
  return canvas.document();
}

uint32_t series_color(size_t index) { return kColors[index % kColors.size()]; }

std::string charts_svg(const std::vector<LineChart>& charts, int width, int height) {
  SvgCanvas canvas(width, height * static_cast<int>(charts.size()));
  for (size_t i = 0; i < charts.size(); ++i) {
    draw(charts[i], canvas, static_cast<double>(height) * static_cast<double>(i), width, height);
  }
  return canvas.document();
}

std::string charts_png(const std::vector<LineChart>& charts, int width, int height) {
  PixelCanvas canvas(width, height * std::max(1, static_cast<int>(charts.size())));
  for (size_t i = 0; i < charts.size(); ++i) {
    draw(charts[i], canvas, static_cast<double>(height) * static_cast<double>(i), width, height);
  }
  return canvas.png();
}

std::string LineChart::to_terminal(int columns, int lines) const {
  constexpr int kLabel = 10;
  const int cells = std::max(columns - kLabel - 1, 8);
  const int dots_x = 2 * cells;
  const int dots_y = 4 * std::max(lines, 2);
  const auto [x, y] = ranges_of(*this);
  // The dots of each cell.
  const auto row_cells = static_cast<size_t>(cells);
  std::vector<unsigned> dots(row_cells * static_cast<size_t>(dots_y / 4), 0);
  constexpr unsigned kBits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
  const auto set = [&](double px, double py) {
    const int i = std::clamp(static_cast<int>(std::lround(px)), 0, dots_x - 1);
    const int j = std::clamp(static_cast<int>(std::lround(py)), 0, dots_y - 1);
    dots[static_cast<size_t>(j / 4) * row_cells + static_cast<size_t>(i / 2)] |=
        kBits[j % 4][i % 2];
  };
  for (size_t s = 0; s < series.size(); ++s) {
    const auto& one = series[s];
    bool begun = false;
    double last_x = 0;
    double last_y = 0;
    for (size_t i = 0; i < std::min(one.x.size(), one.y.size()); ++i) {
      if (!std::isfinite(one.y[i])) {
        begun = false;
        continue;
      }
      const double px = x.part(one.x[i]) * (dots_x - 1);
      const double py = (1 - y.part(one.y[i])) * (dots_y - 1);
      if (!begun) last_x = px, last_y = py;
      const int steps =
          std::max(1, static_cast<int>(std::max(std::abs(px - last_x), std::abs(py - last_y))));
      // Curves after the first are dotted, each in its own rhythm.
      for (int k = 0; k <= steps; ++k) {
        if (s > 0 && (static_cast<int>(last_x) + k) % (static_cast<int>(s) + 2) == 0) continue;
        const double t = static_cast<double>(k) / steps;
        set(last_x + t * (px - last_x), last_y + t * (py - last_y));
      }
      last_x = px;
      last_y = py;
      begun = true;
    }
  }
  std::string text = title + "\n";
  const int rows = dots_y / 4;
  for (int row = 0; row < rows; ++row) {
    const bool marked = row == 0 || row == rows - 1 || row == rows / 2;
    const double value = y.high - (y.high - y.low) * row / (rows - 1);
    text += marked ? fmt::format("{:>{}.4g} ", value, kLabel) : std::string(kLabel + 1, ' ');
    for (int cell = 0; cell < cells; ++cell) {
      text += braille(dots[static_cast<size_t>(row) * row_cells + static_cast<size_t>(cell)]);
    }
    text += "\n";
  }
  const std::string low = fmt::format("{:.4g}", x.low);
  const std::string high = fmt::format("{:.4g} {}", x.high, x_label);
  text += std::string(kLabel + 1, ' ') + low;
  text += std::string(
      static_cast<size_t>(std::max(1, cells - static_cast<int>(low.size() + high.size()))), ' ');
  text += high + "\n";
  if (series.size() > 1) {
    text += std::string(kLabel + 1, ' ');
    for (size_t s = 0; s < series.size(); ++s) {
      text += (s == 0 ? "solid: " : ", dotted: ") + series[s].name;
    }
    text += "\n";
  }
  return text;
}

}  // namespace antler::io
