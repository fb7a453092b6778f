#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/wire.h"
#include "saving/export/function_sink.h"

namespace antler::saving {

/// How the arrays of a call are nested, as Python sees it.
struct CallTree {
  enum class Kind : uint8_t { leaf, list, tuple, dict };
  Kind kind = Kind::leaf;
  /// Dictionaries are sorted by key; the keys of lists and tuples mean nothing.
  std::vector<std::pair<std::string, CallTree>> items = {};
};

/// A TensorSpec for each leaf, in order (StructuredValue, struct.proto).
io::WireWriter structured_specs(const CallTree& tree, std::span<const TfPort> leaves);

/// How Python calls a function (FunctionSpec): its positional parameters or, with `by_name`, its
/// keyword-only parameters.
io::WireWriter function_spec(const std::vector<std::string>& parameters, bool by_name,
                             const io::WireWriter& input_signature);

/// None.
io::WireWriter structured_none();

}  // namespace antler::saving
