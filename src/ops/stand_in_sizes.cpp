#include "ops/stand_in_sizes.h"

#include <algorithm>
#include <numeric>

#include "antler/ir/tracer.h"

namespace antler::ops {
namespace {

thread_local StandInSizes* t_scope = nullptr;

}  // namespace

StandInSizes::StandInSizes(int64_t size) : size_(size), previous_(t_scope) { t_scope = this; }

StandInSizes::~StandInSizes() { t_scope = previous_; }

// The sizes of eager code within a trace, such as an initializer, are known.
StandInSizes* StandInSizes::current() { return ir::Tracer::current() ? t_scope : nullptr; }

Shape StandInSizes::accept(int64_t count, Shape target) {
  Shape given = target;
  for (int i = 0; i < target.rank(); ++i) {
    if (target[i] >= 0) continue;
    given[i] = 1;
    target[i] = size_;
  }
  const int64_t known = given.num_elements();
  const int64_t common = std::max<int64_t>(std::gcd(count, known), 1);
  misfits_.emplace(count / common, known / common);
  return target;
}

}  // namespace antler::ops
