#include "antler/core/overwrite_with_gradient.h"

#include <mutex>
#include <unordered_set>

namespace antler {
namespace {

/// Ids are never reused, so none has to be removed. The object is never destroyed: variables in
/// static storage might outlive it.
struct Marked {
  std::mutex mutex;
  std::unordered_set<uint64_t> ids;
  static Marked& instance() {
    static auto* const marked = new Marked;
    return *marked;
  }
};

}  // namespace

void set_overwrite_with_gradient(const Variable& variable) {
  Marked& marked = Marked::instance();
  const std::lock_guard lock(marked.mutex);
  marked.ids.insert(variable.id());
}

bool overwrite_with_gradient(const Variable& variable) {
  Marked& marked = Marked::instance();
  const std::lock_guard lock(marked.mutex);
  return marked.ids.contains(variable.id());
}

}  // namespace antler
