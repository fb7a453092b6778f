#include "evaluate.h"

#include <utility>

#include "antler/runtime/config.h"
#include "antler/runtime/function.h"

namespace antler::conformance {

NestFunction evaluated(NestFunction f) {
  if (config::device() == "cpu") return f;
  return tf::function(Function::Body(std::move(f)), {.name = "case"});
}

}  // namespace antler::conformance
