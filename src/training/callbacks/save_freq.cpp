#include "antler/training/callbacks/save_freq.h"

#include "training/callbacks/from_config.h"

namespace antler::callbacks {

void read_field(const Json& in, SaveFreq& value) {
  if (in.is_number_integer()) {
    value = SaveFreq(in.get<int64_t>());
  } else if (in.is_string()) {
    value = SaveFreq(in.get<std::string>());
  } else {
    value = in == false ? SaveFreq::never() : SaveFreq(in.dump());
  }
}

bool BatchCounter::is_due(int64_t batch, int64_t every) {
  // Batches are counted from zero; an index that does not grow is a new epoch's.
  since_ += batch <= last_ ? batch + 1 : batch - last_;
  last_ = batch;
  if (since_ < every) return false;
  since_ = 0;
  return true;
}

}  // namespace antler::callbacks
