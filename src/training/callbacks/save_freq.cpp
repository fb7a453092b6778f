#include "antler/training/callbacks/save_freq.h"

namespace antler::callbacks {

bool BatchCounter::is_due(int64_t batch, int64_t every) {
  // Batches are counted from zero; an index that does not grow is a new epoch's.
  since_ += batch <= last_ ? batch + 1 : batch - last_;
  last_ = batch;
  if (since_ < every) return false;
  since_ = 0;
  return true;
}

}  // namespace antler::callbacks
