#pragma once

namespace antler {

/// First field of options that stand where numbers in braces may stand, too: keeps `{3, 2}` from
/// being read as the first two options. Nobody sets it.
struct NamedFieldsOnly {
  explicit constexpr NamedFieldsOnly() = default;
};

}  // namespace antler
