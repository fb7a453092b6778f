#pragma once

/// Wire types of Protocol Buffers: the low bits of a field's key.
namespace antler::io::wire {

inline constexpr int kVarint = 0;
inline constexpr int kFixed64 = 1;
inline constexpr int kLength = 2;
inline constexpr int kFixed32 = 5;

}  // namespace antler::io::wire
