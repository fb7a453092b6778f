#include "antler/nn/remat_scope.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "base/strings.h"
#include "nn/remat_call.h"

namespace antler {
namespace {

constexpr std::string_view kModes[] = {"full", "activations", "larger_than", "list_of_layers"};

/// The scopes of this thread, outermost first; null for a scope without a mode.
std::vector<std::shared_ptr<const RematScopeOptions>>& scopes() {
  thread_local std::vector<std::shared_ptr<const RematScopeOptions>> stack;
  return stack;
}

thread_local bool t_recomputes_activations = false;

bool is_listed(const RematScopeOptions& options, const std::string& layer) {
  const auto& names = options.layer_names;
  return std::find(names.begin(), names.end(), layer) != names.end();
}

}  // namespace

RematScope::RematScope(const RematScopeOptions& options) {
  if (!options.mode) {
    scopes().push_back(nullptr);
    return;
  }
  if (std::find(std::begin(kModes), std::end(kModes), *options.mode) == std::end(kModes)) {
    throw ValueError("RematScope: invalid mode '{}'. Supported modes are: '{}', or None.",
                     *options.mode, join(kModes, "', '"));
  }
  scopes().push_back(std::make_shared<const RematScopeOptions>(options));
}

RematScope::~RematScope() { scopes().pop_back(); }

std::shared_ptr<const RematScopeOptions> RematScope::current() {
  return scopes().empty() ? nullptr : scopes().back();
}

RematCall::RematCall(const LayerState& layer)
    : options_(layer.remat.get()), previous_(std::exchange(t_recomputes_activations, false)) {
  if (options_ == nullptr) return;
  const std::string& mode = *options_->mode;
  t_recomputes_activations = mode == "activations";
  if (mode == "full" || mode == "larger_than" ||
      (mode == "list_of_layers" && is_listed(*options_, layer.name)))
    region_.emplace();
}

RematCall::~RematCall() { t_recomputes_activations = previous_; }

void RematCall::finish(const Nest& outputs) {
  if (!region_ || *options_->mode != "larger_than") return;
  int64_t elements = 0;
  for (const Tensor& t : outputs.flatten()) elements += t.defined() ? t.size() : 0;
  if (elements <= options_->output_size_threshold) region_->cancel();
}

bool RematCall::recomputes_activations() { return t_recomputes_activations; }

}  // namespace antler
