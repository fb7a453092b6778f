#include <utility>

#include "antler/estimator/hooks.h"

namespace antler::estimator {

FeedFnHook::FeedFnHook(std::function<Feeds()> feed_fn) : feed_fn_(std::move(feed_fn)) {}

SessionRunArgs FeedFnHook::before_run(SessionRunContext& /*context*/) {
  return {.feeds = feed_fn_()};
}

}  // namespace antler::estimator
