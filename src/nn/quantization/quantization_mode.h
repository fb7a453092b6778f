#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace antler {

/// The mode of a dtype policy: "int8", "int4", "int4/<block_size>", "float8",
/// "gptq/<weight_bits>/<group_size>" or "awq/4/<group_size>".
struct QuantizationMode {
  std::string name;                        ///< before the first "/"
  std::optional<int64_t> block_size = {};  ///< of "int4/<block_size>"; -1: none
  int64_t weight_bits = 0;                 ///< of gptq and awq
  int64_t group_size = 0;                  ///< of gptq and awq; -1: one group

  /// Throws ValueError with Keras's message.
  static QuantizationMode parse(const std::string& mode);
};

}  // namespace antler
