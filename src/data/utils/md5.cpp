#include "data/utils/md5.h"

#include <bit>
#include <cmath>
#include <string>

namespace antler::utils {
namespace {

constexpr std::array<std::array<int, 4>, 4> kRotations = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

uint32_t constant(size_t step) {
  return static_cast<uint32_t>(
      std::floor(std::abs(std::sin(static_cast<double>(step + 1))) * 0x1p32));
}

uint32_t word_at(const std::string& bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) {
    word |= uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return word;
}

void add_block(std::array<uint32_t, 4>& state, const std::string& bytes, size_t at) {
  auto [a, b, c, d] = state;
  for (size_t step = 0; step < 64; ++step) {
    const size_t round = step / 16;
    uint32_t mixed = 0;
    size_t word = step;
    if (round == 0) {
      mixed = (b & c) | (~b & d);
    } else if (round == 1) {
      mixed = (d & b) | (~d & c);
      word = 5 * step + 1;
    } else if (round == 2) {
      mixed = b ^ c ^ d;
      word = 3 * step + 5;
    } else {
      mixed = c ^ (b | ~d);
      word = 7 * step;
    }
    const uint32_t sum = a + mixed + constant(step) + word_at(bytes, at + 4 * (word % 16));
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[round][step % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::array<uint8_t, 16> md5(std::string_view text) {
  std::string bytes(text);
  bytes += '\x80';
  while (bytes.size() % 64 != 56) bytes += '\0';
  const uint64_t bits = uint64_t{text.size()} * 8;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xFF);
  std::array<uint32_t, 4> state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  for (size_t at = 0; at < bytes.size(); at += 64) add_block(state, bytes, at);
  std::array<uint8_t, 16> digest{};
  for (size_t i = 0; i < 16; ++i) {
    digest[i] = static_cast<uint8_t>(state[i / 4] >> (8 * (i % 4)));
  }
  return digest;
}

uint64_t remainder_of(const std::array<uint8_t, 16>& digest, uint64_t divisor) {
  uint64_t rest = 0;
  for (const uint8_t byte : digest) rest = (rest << 8 | byte) % divisor;
  return rest;
}

}  // namespace antler::utils
