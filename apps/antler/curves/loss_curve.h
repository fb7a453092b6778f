#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace antler::cli {

/// The loss per batch over a training run of any length, in a bounded number of points: when there
/// are too many, each pair of neighbours is replaced by its mean.
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
  double steps_per_point_ = 0;  ///< further steps join the last point until it has this many
};

}  // namespace antler::cli
