#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/json.h"

namespace antler {

/// `read()`, which makes something of `json`. Throws ValueError, naming `what` it is, where a value
/// has another kind than `read` asks for, a key that it needs is missing, or a size is beyond all
/// memory.
template <class Read>
auto read_checked(const char* what, const Json& json, Read&& read) {
  const auto refuse = [&](const char* why) -> ValueError {
    return ValueError(std::string("Could not interpret ") + what + ": " + why +
                      ". Received: " + json.dump());
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
