#pragma once

namespace antler {

/// First field of options structs whose parameter also accepts numbers in braces. It keeps `{3, 2}`
/// from being read as the first two options. It is never set.
struct NamedFieldsOnly {
  explicit constexpr NamedFieldsOnly() = default;
};

}  // namespace antler
