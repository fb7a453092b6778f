#pragma once

#include <cstdint>
#include <string_view>

namespace antler {

/// FarmHash's Fingerprint64 (Pike 2014): the same on every machine and in every version.
uint64_t fingerprint64(std::string_view bytes);
/// Joins two fingerprints into one, as TensorFlow does for crossed features.
uint64_t join_fingerprints(uint64_t a, uint64_t b);
/// SipHash-2-4 under a key of two words (Aumasson and Bernstein 2012).
uint64_t sip_hash(std::string_view bytes, uint64_t key0, uint64_t key1);

}  // namespace antler
