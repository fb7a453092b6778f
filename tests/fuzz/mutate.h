#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace antler::fuzz {

/// Makes inputs of kept ones: bits flipped, bytes replaced, pieces cut out, doubled, moved or taken
/// from another input, numbers replaced by hostile ones, tokens of JSON swapped. One seed gives one
/// sequence.
class Mutator {
 public:
  /// Throws ValueError without an input.
  Mutator(std::vector<std::string> inputs, uint64_t seed);
  /// The next input, of at most 8192 bytes. Numbers have at most 3 digits, or 19 and more: sizes
  /// between are those of large models, which a reader has to make.
  std::string next();

 private:
  /// A number in [0, n), 0 where n is 0.
  size_t draw(size_t n);
  void change(std::string& bytes);
  void change_number(std::string& bytes);
  void swap_tokens(std::string& bytes);

  std::vector<std::string> inputs_;
  uint64_t seed_;
  uint32_t draws_ = 0;
};

}  // namespace antler::fuzz
