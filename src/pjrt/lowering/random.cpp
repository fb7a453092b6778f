#include <array>
#include <limits>

#include "antler/base/philox.h"
#include "pjrt/lowering/families.h"

namespace antler::pjrt {
namespace {

using Words = std::array<Value, 4>;

/// Multiplies 32-bit words by a constant; gives the high and the low word of the product.
struct WordProduct {
  Value high;
  Value low;
};

WordProduct multiply_words(Emitter& emit, uint32_t factor, const Value& x) {
  const Value wide = emit.convert(x, "ui64");
  const Value product = emit.binary("multiply", wide, emit.fill_int(factor, wide.type));
  const Value high = emit.binary("shift_right_logical", product, emit.fill_int(32, product.type));
  return {emit.convert(high, "ui32"), emit.binary("multiply", x, emit.fill_int(factor, x.type))};
}

/// One round of Philox; see philox.h. `keys` are scalars.
Words philox_round(Emitter& emit, const Words& words, const std::array<Value, 2>& keys) {
  const auto mix = [&](const Value& a, const Value& b, const Value& key) {
    const Value spread = emit.broadcast(key, {}, a.type.dims);
    return emit.binary("xor", emit.binary("xor", a, b), spread);
  };
  const auto [high0, low0] = multiply_words(emit, kPhiloxMultipliers[0], words[0]);
  const auto [high1, low1] = multiply_words(emit, kPhiloxMultipliers[1], words[2]);
  return {mix(high1, words[1], keys[0]), low1, mix(high0, words[3], keys[1]), low0};
}

/// Block i consists of words 4 i .. 4 i + 3; its counter is i. The four words of all blocks are
/// kept in four vectors until the end.
Values lower_random_bits(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Type type = args.result();
  const int64_t count = type.num_elements();
  if (count == 0) return {emit.fill_int(0, type)};
  const int64_t blocks = (count + 3) / 4;
  if (blocks > std::numeric_limits<uint32_t>::max())
    throw Unsupported{"random_bits counts blocks with 32 bits"};
  std::array<Value, 2> keys;
  for (int64_t i = 0; i < 2; ++i) {
    const Ints start = {i};
    const Ints limit = {i + 1};
    const Ints stride = {1};
    keys[static_cast<size_t>(i)] = emit.reshape(emit.slice(args[0], start, limit, stride), {});
  }
  const Type vector{"ui32", {blocks}};
  const Value zero = emit.fill_int(0, vector);
  Words words = {emit.iota(0, vector), zero, zero, zero};
  for (int round = 0; round < kPhiloxRounds; ++round) {
    words = philox_round(emit, words, keys);
    for (size_t i = 0; i < 2; ++i)
      keys[i] = emit.binary("add", keys[i], emit.fill_int(kPhiloxWeyl[i], keys[i].type));
  }
  Values columns;
  for (const Value& word : words) columns.push_back(emit.reshape(word, {blocks, 1}));
  const Value flat = emit.reshape(emit.concatenate(columns, 1), {4 * blocks});
  const Ints start = {0};
  const Ints limit = {count};
  const Ints stride = {1};
  const Value taken = 4 * blocks == count ? flat : emit.slice(flat, start, limit, stride);
  return {emit.reshape(taken, type.dims)};
}

}  // namespace

Rules random_rules() {
  static constexpr Rule kRules[] = {{"random_bits", lower_random_bits}};
  return kRules;
}

}  // namespace antler::pjrt
