#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace antler::fuzz {

/// Mutates kept inputs: flips bits, replaces bytes, cuts out, duplicates, moves or inserts pieces,
/// replaces numbers by hostile ones, swaps JSON tokens. Equal seeds give equal sequences.
class Mutator {
 public:
  /// Throws ValueError if there are no inputs.
  Mutator(std::vector<std::string> inputs, uint64_t seed);
  /// The next input, of at most 8192 bytes. Numbers have at most 3 digits, or at least 19: with
  /// sizes in between, a reader would have to build a large model.
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
