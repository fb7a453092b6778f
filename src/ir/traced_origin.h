#pragma once

#include <memory>
#include <string>

#include "antler/ir/tracer.h"

namespace antler::ir {

/// The origin `name()` for ops that are traced now. Null if this thread is not tracing; `name` is
/// not called then.
template <class Name>
Origin traced_origin(const Name& name) {
  return Tracer::current() == nullptr ? nullptr : std::make_shared<const std::string>(name());
}

}  // namespace antler::ir
