#pragma once

#include <new>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/json.h"

namespace antler {

/// Calls `read()`, which interprets `json`. Throws a ValueError that says `what` was read if a
/// value has the wrong type, a key is missing, or a size is too large.
template <class Read>
auto read_checked(const char* what, const Json& json, Read&& read) {
  const auto refuse = [&](const char* why) -> ValueError {
    return ValueError("Could not interpret {}: {}. Received: {}", what, why, json.dump());
  };
  try {
    return std::forward<Read>(read)();
  } catch (const Json::exception& error) {
    throw refuse(error.what());
  } catch (const std::length_error&) {
    throw refuse("a size is too large");
  } catch (const std::bad_alloc&) {
    throw refuse("a size is too large");
  }
}

}  // namespace antler
