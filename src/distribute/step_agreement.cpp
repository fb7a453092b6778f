#include "distribute/step_agreement.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "antler/base/error.h"

namespace antler::distribute {
namespace {

/// Announced in place of the first number if reading the worker's data threw an exception.
constexpr int64_t kFailed = -1;

}  // namespace

std::vector<int64_t> exchange_counts(ops::Communicator& workers, std::vector<int64_t> numbers,
                                     const std::exception_ptr& failure) {
  if (failure) numbers[0] = kFailed;
  std::vector<int64_t> all(numbers.size() * static_cast<size_t>(workers.size()));
  workers.all_gather(std::as_bytes(std::span(numbers)), std::as_writable_bytes(std::span(all)));
  if (failure) std::rethrow_exception(failure);
  for (size_t i = 0; i < all.size(); i += numbers.size()) {
    if (all[i] == kFailed)
      throw UnavailableError("Worker {} cannot read its data.", i / numbers.size());
  }
  return all;
}

std::vector<WorkerBatch> StepAgreement::next(const std::vector<int64_t>& rows,
                                             const std::exception_ptr& failure) {
  const std::vector<int64_t> all = exchange_counts(workers_, rows, failure);
  has_read_.resize(static_cast<size_t>(workers_.size()));
  std::vector<WorkerBatch> steps;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<int64_t> of_workers;
    for (size_t at = i; at < all.size(); at += rows.size()) of_workers.push_back(all[at]);
    const int64_t total = std::accumulate(of_workers.begin(), of_workers.end(), int64_t{0});
    if (total == 0) break;
    for (size_t w = 0; w < of_workers.size(); ++w) {
      has_read_[w] = has_read_[w] || of_workers[w] > 0;
      if (!has_read_[w])
        throw ValueError("Worker {} has no batch of data, but others have some.", w);
    }
    steps.push_back(
        {.global_rows = total, .is_empty = rows[i] == 0, .rows_of_workers = std::move(of_workers)});
  }
  return steps;
}

}  // namespace antler::distribute
