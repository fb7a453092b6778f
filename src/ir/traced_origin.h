#pragma once

#include <memory>
#include <string>

#include "antler/ir/tracer.h"

namespace antler::ir {

/// The origin of what is computed for `name()`; null, without a call of it, if this thread is not
/// tracing.
template <class Name>
Origin traced_origin(const Name& name) {
  return Tracer::current() == nullptr ? nullptr : std::make_shared<const std::string>(name());
}

}  // namespace antler::ir
