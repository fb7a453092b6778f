#pragma once

/// The version of the headers. The build reads these three numbers; nothing else states them. What
/// may change between versions: docs/compatibility.md.
#define ANTLER_VERSION_MAJOR 0
#define ANTLER_VERSION_MINOR 1
#define ANTLER_VERSION_PATCH 0

/// For `#if`: 1002003 is version 1.2.3.
#define ANTLER_VERSION_NUMBER \
  (ANTLER_VERSION_MAJOR * 1000000 + ANTLER_VERSION_MINOR * 1000 + ANTLER_VERSION_PATCH)

#define ANTLER_VERSION_JOIN_(major, minor, patch) #major "." #minor "." #patch
#define ANTLER_VERSION_TEXT_(...) ANTLER_VERSION_JOIN_(__VA_ARGS__)
/// As a string literal: "1.2.3".
#define ANTLER_VERSION \
  ANTLER_VERSION_TEXT_(ANTLER_VERSION_MAJOR, ANTLER_VERSION_MINOR, ANTLER_VERSION_PATCH)
