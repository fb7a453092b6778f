#pragma once

/// How a field of Protocol Buffers is encoded: the low bits of its key.
namespace antler::io::wire {

inline constexpr int kVarint = 0;
inline constexpr int kFixed64 = 1;
inline constexpr int kLength = 2;
inline constexpr int kFixed32 = 5;

}  // namespace antler::io::wire
