#pragma once

#include <memory>
#include <string>
#include <utility>

#include "antler/ir/tracer.h"

namespace antler::ir {

/// The origin of what is computed for `name`; null if this thread is not tracing.
inline Origin traced_origin(std::string name) {
  return Tracer::current() == nullptr ? nullptr
                                      : std::make_shared<const std::string>(std::move(name));
}

}  // namespace antler::ir
