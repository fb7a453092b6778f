#include "antler/base/hash.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace antler {
namespace {

// Expected numbers are TensorFlow's to_hash_bucket_fast and to_hash_bucket_strong, modulo 2^31 - 1.
constexpr uint64_t kBins = 2147483647;

TEST(Hash, FingerprintsAreFarmHashes) {
  const std::vector<std::pair<std::string, uint64_t>> cases = {
      {"", 1699943623},
      {"a", 493484721},
      {"abcd", 2127136445},
      {"wombat", 1475893290},
      {"0123456789abcdef", 100009012},
      {"0123456789abcdefg", 1912983899},
      {std::string(40, 'x'), 76221941},
      {std::string(64, 'y'), 245492011},
      {std::string(65, 'z'), 172380598},
      {std::string(200, 'q'), 1683034213},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(fingerprint64(text) % kBins, expected) << text;
}

TEST(Hash, KeyedHashesAreSipHashes) {
  const std::vector<std::pair<std::string, uint64_t>> cases = {
      {"", 1380786607}, {"a", 1322453157}, {"wombat", 557227560}, {"0123456789", 1422822025}};
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(sip_hash(text, 133, 137) % kBins, expected) << text;
  }
}

TEST(Hash, JoinedFingerprints) {
  EXPECT_EQ(join_fingerprints(join_fingerprints(0xDECAFCAFFE, 1), 2) % 1000, 357U);
  EXPECT_EQ(join_fingerprints(join_fingerprints(0xDECAFCAFFE, 5), 9) % 1000, 290U);
}

}  // namespace
}  // namespace antler
