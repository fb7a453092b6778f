#include "nn/layers/heads_dense.h"

namespace antler {

HeadsEquation heads_equation(int rank, int contracted, int units) {
  // "abc,cde->abde" for an input of rank 3 whose last axis becomes two.
  char next = 'a';
  const auto letters = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += next++;
    return text;
  };
  const std::string kept = letters(rank - contracted);
  const std::string summed = letters(contracted);
  const std::string made = letters(units);
  return {kept + summed + "," + summed + made + "->" + kept + made, made};
}

}  // namespace antler
