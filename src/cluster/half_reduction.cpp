#include "cluster/half_reduction.h"

#include <cstring>

#include "cluster/reduction.h"

namespace antler::cluster {

void HalfReduction::reduce(void* data, size_t count, DType dtype, ops::ReduceOp op,
                           size_t processes, const Exchange& all_to_all,
                           const Exchange& all_gather) {
  const size_t share = (count + processes - 1) / processes;
  own_.resize(share * processes);  // the end of the last segments is arbitrary
  all_.resize(share * processes);
  std::memcpy(own_.data(), data, count * sizeof(uint16_t));
  all_to_all(own_.data(), share, all_.data());
  std::vector<const void*> operands;
  for (size_t r = 0; r < processes; ++r) operands.push_back(all_.data() + r * share);
  combine_all(own_.data(), operands, share, dtype, op);
  all_gather(own_.data(), share, all_.data());
  std::memcpy(data, all_.data(), count * sizeof(uint16_t));
}

}  // namespace antler::cluster
