#include "estimator/agreed_stream.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <utility>
#include <vector>

#include "antler/base/format.h"
#include "antler/base/logging.h"
#include "distribute/step_agreement.h"

namespace antler::estimator {
namespace {

/// Batches announced in one message. This many are read ahead. The first messages announce fewer,
/// so that the first step does not wait for them.
constexpr size_t kMostAhead = 8;

class AgreedStream final : public InputStream {
 public:
  AgreedStream(std::shared_ptr<InputStream> own, ops::Communicator& workers)
      : own_(std::move(own)), workers_(workers) {}

  std::optional<Nest> promised_spec() const override { return own_->promised_spec(); }
  const Nest* peek() override {
    if (batches_.empty() && !has_ended_) read_ahead();
    return batches_.empty() ? nullptr : &batches_.front();
  }
  void consume() override { batches_.pop_front(); }
  void restart() override {
    own_->restart();
    batches_.clear();
    has_ended_ = false;
    ahead_ = 1;
  }

 private:
  void read_ahead() {
    std::exception_ptr failure;
    try {
      while (batches_.size() < ahead_) {
        const Nest* const batch = own_->peek();
        if (batch == nullptr) break;
        batches_.push_back(*batch);
        own_->consume();
      }
    } catch (...) {
      failure = std::current_exception();
    }
    const std::vector<int64_t> counts =
        distribute::exchange_counts(workers_, {std::ssize(batches_)}, failure);
    const auto [least, most] = std::ranges::minmax_element(counts);
    has_ended_ = *least < static_cast<int64_t>(ahead_);
    if (*least < *most) {
      logging::warning(
          format("The data of worker {} has ended, so this is the end for all workers, although "
                 "worker {} has more.",
                 least - counts.begin(), most - counts.begin()));
      batches_.resize(static_cast<size_t>(*least));
    }
    ahead_ = std::min(2 * ahead_, kMostAhead);
  }

  std::shared_ptr<InputStream> own_;
  ops::Communicator& workers_;
  std::deque<Nest> batches_;
  bool has_ended_ = false;  ///< for all workers: no data after batches_
  size_t ahead_ = 1;
};

}  // namespace

std::shared_ptr<InputStream> agreed_stream(std::shared_ptr<InputStream> own,
                                           ops::Communicator& workers) {
  return std::make_shared<AgreedStream>(std::move(own), workers);
}

}  // namespace antler::estimator
