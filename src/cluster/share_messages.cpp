#include "cluster/share_messages.h"

#include <utility>

#include "cluster/graph_codec.h"

namespace antler::cluster {
namespace {

/// The filter for the receiver of the rows. There, `values` other values come first, which shifts
/// the index.
RowFilter received(RowFilter filter, size_t values) {
  filter.clear_ranges();
  filter.set_value(filter.value() + static_cast<int32_t>(values));
  return filter;
}

}  // namespace

void encode(const TaskShare& share, AddShareRequest& told, cluster::Share& part) {
  encode(share.update, *told.mutable_update());
  encode(share.lookup, *told.mutable_lookup());
  for (const Variable& variable : share.reads) told.add_reads(variable.id());
  told.set_lookups(static_cast<int32_t>(share.lookups));
  for (const RowFilter& filter : share.lookup_rows) *told.add_lookup_rows() = filter;
  for (const RowFilter& filter : share.sent_rows) *told.add_sent_rows() = received(filter, 0);

  part.set_task(static_cast<int32_t>(share.task));
  part.set_reads(static_cast<int32_t>(share.reads.size()) + static_cast<int32_t>(share.lookups));
  for (const int64_t index : share.asks) part.add_asks(static_cast<int32_t>(index));
  for (const int64_t index : share.sends) part.add_sends(static_cast<int32_t>(index));
  for (const RowFilter& filter : share.lookup_rows)
    *part.add_read_rows() = received(filter, share.reads.size());
  for (const RowFilter& filter : share.sent_rows) *part.add_sent_rows() = filter;
  part.set_updates(!share.update.states.empty());
}

}  // namespace antler::cluster
