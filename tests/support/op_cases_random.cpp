#include "support/op_cases.h"

namespace antler::test {

OpCases random_cases() {
  // The first block is the known answer of Random123 (Salmon et al.) for counter 0, key 0.
  const std::vector<double> block = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const Tensor zero_key = Tensor::of<uint32_t>({0, 0});
  const auto bits = [&](const char* name, const ir::Ints& shape, std::vector<double> expected) {
    return OpCase{.op = "random_bits",
                  .name = name,
                  .inputs = {zero_key},
                  .attrs = {{"shape", shape}},
                  .expected = {std::move(expected)}};
  };
  return {bits("block", {4}, block), bits("matrix", {2, 2}, block),
          bits("tail", {3}, {block[0], block[1], block[2]}), bits("scalar", {}, {block[0]}),
          bits("empty", {2, 0}, {})};
}

}  // namespace antler::test
