#include "curves/loss_curve.h"

namespace antler::cli {

LossCurve::Point LossCurve::joined(const Point& a, const Point& b) {
  const double steps = a.steps + b.steps;
  return {b.epochs, (a.loss * a.steps + b.loss * b.steps) / steps, steps};
}

void LossCurve::add(const Point& steps) {
  if (!points_.empty() && points_.back().steps < steps_per_point_) {
    points_.back() = joined(points_.back(), steps);
    return;
  }
  if (points_.size() == kMostPoints) halve();
  points_.push_back(steps);
}

void LossCurve::halve() {
  double steps = 0;
  for (size_t i = 0; i < points_.size() / 2; ++i) {
    points_[i] = joined(points_[2 * i], points_[2 * i + 1]);
    steps += points_[i].steps;
  }
  points_.resize(points_.size() / 2);
  steps_per_point_ = steps / static_cast<double>(points_.size());
}

}  // namespace antler::cli
