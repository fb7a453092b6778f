#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "antler/base/philox.h"
#include "runtime/cpu/function_kernel.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/parallel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Philox, vectorized. oneDNN has no such primitive, and the bits must be those of the reference
// loop (base/philox.h). Benchmarks: cnn, gpt1 and gpt4 (dropout).
namespace antler::runtime {
namespace {

constexpr int64_t kBlocks = 8;
constexpr int64_t kWords = 4 * kBlocks;

/// Words of 8 * `groups` Philox blocks from block `first` on.
void philox_groups(uint64_t first, int64_t groups, const uint32_t* seed, uint32_t* out) {
  for (int64_t g = 0; g < groups; ++g, first += kBlocks, out += kWords) {
    std::array<uint32_t, kWords> words{};
    philox_blocks(words, first, {0, 0}, {seed[0], seed[1]});
    std::copy(words.begin(), words.end(), out);
  }
}

#if defined(__x86_64__)
/// The same with four blocks per vector, each 32-bit word in a 64-bit lane. The upper halves of
/// lanes hold garbage: _mm256_mul_epu32 reads the lower halves only.
__attribute__((target("avx2"))) void philox_groups_avx2(uint64_t first, int64_t groups,
                                                        const uint32_t* seed, uint32_t* out) {
  const __m256i multiplier0 = _mm256_set1_epi64x(kPhiloxMultipliers[0]);
  const __m256i multiplier1 = _mm256_set1_epi64x(kPhiloxMultipliers[1]);
  const __m256i four = _mm256_set1_epi64x(4);
  __m256i block = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<int64_t>(first)),
                                   _mm256_setr_epi64x(0, 1, 2, 3));
  for (int64_t g = 0; g < groups; ++g, out += kWords) {
    // Two independent sets of four blocks hide the latency of the multiplications.
    __m256i c0[2], c1[2], c2[2], c3[2];
    for (int s = 0; s < 2; ++s) {
      c0[s] = block;
      c1[s] = _mm256_srli_epi64(block, 32);
      c2[s] = c3[s] = _mm256_setzero_si256();
      block = _mm256_add_epi64(block, four);
    }
    uint32_t key0 = seed[0];
    uint32_t key1 = seed[1];
    for (int round = 0; round < kPhiloxRounds; ++round) {
      const __m256i k0 = _mm256_set1_epi64x(key0);
      const __m256i k1 = _mm256_set1_epi64x(key1);
      for (int s = 0; s < 2; ++s) {
        const __m256i product0 = _mm256_mul_epu32(multiplier0, c0[s]);
        const __m256i product1 = _mm256_mul_epu32(multiplier1, c2[s]);
        c0[s] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product1, 32), c1[s]), k0);
        c1[s] = product1;
        c2[s] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product0, 32), c3[s]), k1);
        c3[s] = product0;
      }
      key0 += kPhiloxWeyl[0];
      key1 += kPhiloxWeyl[1];
    }
    for (int s = 0; s < 2; ++s) {
      // Lane i: words 0 and 1, words 2 and 3 of block i.
      const __m256i mask = _mm256_set1_epi64x(0xFFFFFFFF);
      const __m256i low =
          _mm256_or_si256(_mm256_and_si256(c0[s], mask), _mm256_slli_epi64(c1[s], 32));
      const __m256i high =
          _mm256_or_si256(_mm256_and_si256(c2[s], mask), _mm256_slli_epi64(c3[s], 32));
      const __m256i even = _mm256_unpacklo_epi64(low, high);  // blocks 0 and 2
      const __m256i odd = _mm256_unpackhi_epi64(low, high);   // blocks 1 and 3
      auto* to = reinterpret_cast<__m256i*>(out + 16 * s);
      _mm256_storeu_si256(to, _mm256_permute2x128_si256(even, odd, 0x20));
      _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(even, odd, 0x31));
    }
  }
}
#endif

using Groups = void (*)(uint64_t first, int64_t groups, const uint32_t* seed, uint32_t* out);

Groups best_groups() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return philox_groups_avx2;
#endif
  return philox_groups;
}

void fill(Groups groups, const uint32_t* seed, int64_t count, uint32_t* out, int threads) {
  const int64_t whole = count / kWords;
  // Ten rounds cost about as much as moving each word four times.
  parallel_ranges(threads_for_bytes(threads, count * 16), whole, [&](int64_t begin, int64_t end) {
    groups(static_cast<uint64_t>(begin * kBlocks), end - begin, seed, out + begin * kWords);
  });
  if (whole * kWords == count) return;
  uint32_t rest[kWords];
  philox_groups(static_cast<uint64_t>(whole * kBlocks), 1, seed, rest);
  std::copy_n(rest, count - whole * kWords, out + whole * kWords);
}

std::unique_ptr<LibraryKernel> make_random_bits(const ir::Graph& graph, const ir::Node& node,
                                                const KernelContext& context, std::string*) {
  const int64_t count = output_spec(graph, node).shape.num_elements();
  return function_kernel(
      "philox", 0,
      [count, groups = best_groups(), threads = context.threads](void* const* buffers, void*) {
        fill(groups, static_cast<const uint32_t*>(buffers[0]), count,
             static_cast<uint32_t*>(buffers[1]), threads);
      });
}

}  // namespace

CandidateSpan random_bits_kernels() {
  static constexpr Candidate kKernels[] = {{"philox", make_random_bits}};
  return kKernels;
}

}  // namespace antler::runtime
