#include "base/digest.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

// Both digests are implemented here: Antler needs nothing else of a cryptography library, and the
// library would be a new dependency.

namespace antler {
namespace {

constexpr size_t kBlock = 64;

uint32_t word_at(const char* bytes, std::endian order) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const int shift = order == std::endian::big ? 24 - 8 * i : 8 * i;
    word |= uint32_t{static_cast<unsigned char>(bytes[i])} << shift;
  }
  return word;
}

/// Calls `add(block)` for each block of the padded message: the bytes, a one bit, zeros, and the
/// length in bits in the last eight bytes.
template <class Add>
void for_each_block(std::string_view bytes, std::endian order, const Add& add) {
  const uint64_t bits = uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) add(bytes.data());
  std::string tail(bytes);
  tail += '\x80';
  tail.resize(tail.size() <= kBlock - 8 ? kBlock - 8 : 2 * kBlock - 8, '\0');
  for (int i = 0; i < 8; ++i) {
    const int shift = order == std::endian::big ? 56 - 8 * i : 8 * i;
    tail += static_cast<char>(bits >> shift & 0xff);
  }
  for (size_t at = 0; at < tail.size(); at += kBlock) add(tail.data() + at);
}

std::string hexadecimal(std::span<const uint32_t> words, std::endian order) {
  std::string digits;
  for (const uint32_t word : words) {
    for (int i = 0; i < 4; ++i) {
      const uint32_t byte = word >> (order == std::endian::big ? 24 - 8 * i : 8 * i) & 0xff;
      digits += "0123456789abcdef"[byte >> 4];
      digits += "0123456789abcdef"[byte & 15];
    }
  }
  return digits;
}

/// RFC 1321, section 3.4.
void add_md5_block(std::array<uint32_t, 4>& state, const char* bytes) {
  static const std::array<uint32_t, 64> sines = [] {
    std::array<uint32_t, 64> table{};
    for (size_t i = 0; i < table.size(); ++i) {
      const double sine = std::sin(static_cast<double>(i + 1));
      table[i] = static_cast<uint32_t>(std::floor(std::abs(sine) * 0x1p32));
    }
    return table;
  }();
  constexpr int kRotations[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
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
    const uint32_t sum =
        a + mixed + sines[step] + word_at(bytes + 4 * (word % 16), std::endian::little);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[round][step % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

/// Fractional parts of the cube roots of the first 64 primes (section 4.2.2).
constexpr std::array<uint32_t, 64> kCubeRoots = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// FIPS 180-4, section 6.2.2.
void add_sha256_block(std::array<uint32_t, 8>& hash, const char* bytes) {
  std::array<uint32_t, 64> w{};
  for (size_t t = 0; t < 16; ++t) w[t] = word_at(bytes + 4 * t, std::endian::big);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kCubeRoots[t] + w[t];
    const uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < hash.size(); ++i) hash[i] += added[i];
}

}  // namespace

std::string md5(std::string_view bytes) {
  std::array<uint32_t, 4> state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  for_each_block(bytes, std::endian::little,
                 [&](const char* block) { add_md5_block(state, block); });
  return hexadecimal(state, std::endian::little);
}

std::string sha256(std::string_view bytes) {
  std::array<uint32_t, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for_each_block(bytes, std::endian::big,
                 [&](const char* block) { add_sha256_block(hash, block); });
  return hexadecimal(hash, std::endian::big);
}

}  // namespace antler
