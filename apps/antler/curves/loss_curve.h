#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace antler::cli {

/// The loss of batches over a training of any length in a bounded number of points: when there are
/// too many, each two neighbours become their mean.
class LossCurve {
 public:
  struct Point {
    double epochs;  ///< where the steps end, in epochs since the start
    double loss;    ///< mean over the steps
    double steps;
  };

  /// Adds the mean loss of some steps.
  void add(const Point& steps);
  /// At most kMostPoints.
  const std::vector<Point>& points() const { return points_; }

 private:
  static constexpr size_t kMostPoints = 512;
  static Point joined(const Point& a, const Point& b);
  void halve();

  std::vector<Point> points_;
  double steps_per_point_ = 0;  ///< the last point takes more steps until it has that many
};

}  // namespace antler::cli
