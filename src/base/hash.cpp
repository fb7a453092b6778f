#include "antler/base/hash.h"

#include <bit>
#include <cstring>
#include <utility>

// FarmHash and SipHash. Hashed features must equal Keras's. The hashes are implemented here,
// because libraries that have them would be new dependencies.
namespace antler {
namespace {

constexpr uint64_t k0 = 0xc3a5c85c97cb3127ULL;
constexpr uint64_t k1 = 0xb492b66fbe98f273ULL;
constexpr uint64_t k2 = 0x9ae16a3b2f90404fULL;

/// Little-endian words.
uint64_t word64(const char* p) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(p[i]);
  return value;
}
uint64_t word32(const char* p) {
  uint64_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(p[i]);
  return value;
}
uint64_t byte(const char* p) { return static_cast<unsigned char>(*p); }
uint64_t shift_mix(uint64_t v) { return v ^ (v >> 47); }

uint64_t mix(uint64_t u, uint64_t v, uint64_t mul) {
  const uint64_t a = shift_mix((u ^ v) * mul);
  return shift_mix((v ^ a) * mul) * mul;
}

uint64_t hash_to_16(const char* s, size_t len) {
  const uint64_t mul = k2 + len * 2;
  if (len >= 8) {
    const uint64_t a = word64(s) + k2;
    const uint64_t b = word64(s + len - 8);
    return mix(std::rotr(b, 37) * mul + a, (std::rotr(a, 25) + b) * mul, mul);
  }
  if (len >= 4) return mix(len + (word32(s) << 3), word32(s + len - 4), mul);
  if (len == 0) return k2;
  const uint64_t y = byte(s) + (byte(s + len / 2) << 8);
  const uint64_t z = len + (byte(s + len - 1) << 2);
  return shift_mix(y * k2 ^ z * k0) * k2;
}

uint64_t hash_to_32(const char* s, size_t len) {
  const uint64_t mul = k2 + len * 2;
  const uint64_t a = word64(s) * k1;
  const uint64_t b = word64(s + 8);
  const uint64_t c = word64(s + len - 8) * mul;
  const uint64_t d = word64(s + len - 16) * k2;
  return mix(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + k2, 18) + c, mul);
}

uint64_t hash_to_64(const char* s, size_t len) {
  const uint64_t mul = k2 + len * 2;
  const uint64_t a = word64(s) * k2;
  const uint64_t b = word64(s + 8);
  const uint64_t c = word64(s + len - 8) * mul;
  const uint64_t d = word64(s + len - 16) * k2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = mix(y, a + std::rotr(b + k2, 18) + c, mul);
  const uint64_t e = word64(s + 16) * mul;
  const uint64_t f = word64(s + 24);
  const uint64_t g = (y + word64(s + len - 32)) * mul;
  const uint64_t h = (z + word64(s + len - 24)) * mul;
  return mix(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, mul);
}

struct Pair {
  uint64_t first = 0;
  uint64_t second = 0;
};

Pair weak_hash(const char* s, uint64_t a, uint64_t b) {
  const uint64_t z = word64(s + 24);
  a += word64(s);
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += word64(s + 8) + word64(s + 16);
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

/// The state for strings longer than 64 bytes; step() absorbs 64 bytes.
struct Long {
  uint64_t x, y, z;
  Pair v, w;

  void step(const char* s, uint64_t mul, uint64_t times) {
    x = std::rotr(x + y + v.first + word64(s + 8), 37) * mul;
    y = std::rotr(y + v.second + word64(s + 48), 42) * mul;
    x ^= w.second * times;
    y += v.first * times + word64(s + 40);
    z = std::rotr(z + w.first, 33) * mul;
    v = weak_hash(s, v.second * mul, x + w.first);
    w = weak_hash(s + 32, z + w.second, y + word64(s + 16));
    std::swap(z, x);
  }
};

uint64_t hash_long(const char* s, size_t len) {
  constexpr uint64_t kSeed = 81;
  Long h{};
  h.y = kSeed * k1 + 113;
  h.z = shift_mix(h.y * k2 + 113) * k2;
  h.x = kSeed * k2 + word64(s);
  const char* const end = s + (len - 1) / 64 * 64;
  const char* const last = end + ((len - 1) & 63) - 63;
  for (; s != end; s += 64) h.step(s, k1, 1);
  const uint64_t mul = k1 + ((h.z & 0xff) << 1);
  h.w.first += (len - 1) & 63;
  h.v.first += h.w.first;
  h.w.first += h.v.first;
  h.step(last, mul, 9);
  return mix(mix(h.v.first, h.w.first, mul) + shift_mix(h.y) * k0 + h.z,
             mix(h.v.second, h.w.second, mul) + h.x, mul);
}

struct Sip {
  uint64_t v0, v1, v2, v3;

  void rounds(int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  }
  void absorb(uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
};

}  // namespace

uint64_t fingerprint64(std::string_view bytes) {
  const size_t len = bytes.size();
  if (len <= 16) return hash_to_16(bytes.data(), len);
  if (len <= 32) return hash_to_32(bytes.data(), len);
  if (len <= 64) return hash_to_64(bytes.data(), len);
  return hash_long(bytes.data(), len);
}

uint64_t join_fingerprints(uint64_t a, uint64_t b) {
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995ULL;
  uint64_t result = a ^ kMul;
  result ^= shift_mix(b * kMul) * kMul;
  result *= kMul;
  result = shift_mix(result) * kMul;
  return shift_mix(result);
}

uint64_t sip_hash(std::string_view bytes, uint64_t key0, uint64_t key1) {
  Sip sip{key0 ^ 0x736f6d6570736575ULL, key1 ^ 0x646f72616e646f6dULL, key0 ^ 0x6c7967656e657261ULL,
          key1 ^ 0x7465646279746573ULL};
  const size_t whole = bytes.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) sip.absorb(word64(bytes.data() + i));
  uint64_t last = static_cast<uint64_t>(bytes.size()) << 56;
  for (size_t i = whole; i < bytes.size(); ++i) {
    last |= byte(bytes.data() + i) << (8 * (i - whole));
  }
  sip.absorb(last);
  sip.v2 ^= 0xff;
  sip.rounds(4);
  return sip.v0 ^ sip.v1 ^ sip.v2 ^ sip.v3;
}

}  // namespace antler
