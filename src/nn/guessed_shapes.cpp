#include "nn/guessed_shapes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace antler {
namespace {

/// A bound on the traces for a call that fits no guess.
constexpr size_t kMostGuesses = 64;

using Shapes = std::vector<Shape>;

/// A dimension that is unknown.
struct Unknown {
  size_t tensor;
  int axis;
};

/// All but those of batches, which are unknown everywhere.
std::vector<Unknown> unknown_dimensions(const Shapes& shapes) {
  std::vector<Unknown> result;
  for (size_t t = 0; t < shapes.size(); ++t) {
    for (int axis = 1; axis < shapes[t].rank(); ++axis) {
      if (shapes[t][axis] == Shape::kUnknown) result.push_back({t, axis});
    }
  }
  return result;
}

/// Gives each unknown dimension the size that another tensor has there, counted from the first axis
/// or from the last.
Shapes aligned(const Shapes& shapes, const std::vector<Unknown>& unknown, bool at_end) {
  Shapes result = shapes;
  for (const Unknown& u : unknown) {
    for (const Shape& other : shapes) {
      const int axis = at_end ? u.axis + other.rank() - shapes[u.tensor].rank() : u.axis;
      if (axis < 0 || axis >= other.rank() || other[axis] <= 1) continue;
      result[u.tensor][u.axis] = other[axis];
      break;
    }
  }
  return result;
}

/// The distinct known sizes above 1, in order.
std::vector<int64_t> known_sizes(const Shapes& shapes, const Variables& weights) {
  std::vector<int64_t> sizes;
  const auto add = [&](const Shape& shape) {
    for (const int64_t size : shape) {
      if (size > 1 && std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
        sizes.push_back(size);
      }
    }
  };
  for (const Shape& shape : shapes) add(shape);
  for (const Variable& weight : weights) add(weight.shape());
  return sizes;
}

}  // namespace

std::vector<Shapes> guessed_shapes(const Shapes& shapes, const Variables& weights) {
  const std::vector<Unknown> unknown = unknown_dimensions(shapes);
  std::vector<Shapes> guesses;
  const auto add = [&](Shapes guess) {
    if (guess == shapes || guesses.size() == kMostGuesses ||
        std::find(guesses.begin(), guesses.end(), guess) != guesses.end()) {
      return;
    }
    guesses.push_back(std::move(guess));
  };
  add(aligned(shapes, unknown, false));
  add(aligned(shapes, unknown, true));
  const std::vector<int64_t> sizes = known_sizes(shapes, weights);
  for (const int64_t size : sizes) {
    for (const Unknown& u : unknown) {
      Shapes guess = shapes;
      guess[u.tensor][u.axis] = size;
      add(std::move(guess));
    }
  }
  for (const int64_t size : sizes) {
    Shapes guess = shapes;
    for (const Unknown& u : unknown) guess[u.tensor][u.axis] = size;
    add(std::move(guess));
  }
  return guesses;
}

}  // namespace antler
