#include "cluster/row_packing.h"

#include <algorithm>
#include <cstring>

#include "antler/base/error.h"
#include "cluster/graph_codec.h"

namespace antler::cluster {
namespace {

size_t byte_count(const TensorSpec& spec) {
  return static_cast<size_t>(spec.shape.num_elements()) * dtype_size(spec.dtype);
}

template <class T>
void mark(const Tensor& ids, const RowFilter::Range& range, std::vector<bool>& is_sent) {
  const T* id = ids.data<T>();
  for (size_t i = 0; i < is_sent.size(); ++i) {
    if (int64_t{id[i]} >= range.begin() && int64_t{id[i]} < range.end()) is_sent[i] = true;
  }
}

std::vector<bool> selected_rows(const RowFilter& filter, const Tensors& id_arrays) {
  std::vector<bool> is_sent(static_cast<size_t>(filter.rows()));
  for (const RowFilter::Range& range : filter.ranges()) {
    const Tensor& values = id_arrays[static_cast<size_t>(range.ids())];
    if (values.size() != filter.rows()) throw ValueError("A filter of rows does not fit its ids.");
    switch (values.dtype()) {
      case DType::int32:
        mark<int32_t>(values, range, is_sent);
        break;
      case DType::int64:
        mark<int64_t>(values, range, is_sent);
        break;
      default:
        throw ValueError("A filter of rows needs int32 or int64 ids.");
    }
  }
  return is_sent;
}

/// Reads what append_rows() wrote and removes it from the front of the bytes.
Tensor take_rows(std::string_view& bytes, const TensorSpec& spec, const RowFilter& filter) {
  const auto rows = static_cast<size_t>(filter.rows());
  const size_t row = byte_count(spec) / rows;
  const size_t mask = (rows + 7) / 8;
  const auto take = [&](size_t count) {
    if (count > bytes.size()) throw ValueError("Rows of another process are incomplete.");
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  };
  const std::string_view bits = take(mask);
  Tensor value = Tensor::empty(spec.dtype, spec.shape);
  auto* to = static_cast<char*>(value.mutable_data());
  for (size_t i = 0; i < rows; ++i, to += row) {
    if ((static_cast<unsigned char>(bits[i / 8]) >> (i % 8) & 1) != 0) {
      std::memcpy(to, take(row).data(), row);
    } else {
      std::memset(to, filter.holds_ids() ? 0xff : 0, row);
    }
  }
  return value;
}

}  // namespace

RowFilters filters_of(const google::protobuf::RepeatedPtrField<RowFilter>& filters,
                      const std::vector<TensorSpec>& values, size_t id_arrays) {
  RowFilters result(values.size());
  for (const RowFilter& filter : filters) {
    const auto value = static_cast<size_t>(filter.value());
    const bool is_valid =
        filter.value() >= 0 && value < values.size() && filter.rows() > 0 &&
        values[value].shape.num_elements() > 0 &&
        values[value].shape.num_elements() % filter.rows() == 0 &&
        std::all_of(filter.ranges().begin(), filter.ranges().end(), [&](const auto& range) {
          return range.ids() >= 0 && static_cast<size_t>(range.ids()) < id_arrays;
        });
    if (!is_valid) throw ValueError("A filter of rows does not fit the arrays.");
    result[value] = filter;
  }
  return result;
}

void append_rows(const Tensor& value, const std::optional<RowFilter>& filter,
                 const Tensors& id_arrays, std::string& bytes) {
  if (!filter) {
    append(value, bytes);
    return;
  }
  const std::vector<bool> is_sent = selected_rows(*filter, id_arrays);
  const size_t row = value.bytes() / is_sent.size();
  const size_t mask = bytes.size();
  bytes.resize(mask + (is_sent.size() + 7) / 8);
  const auto* from = static_cast<const char*>(value.data());
  for (size_t i = 0; i < is_sent.size(); ++i, from += row) {
    if (!is_sent[i]) continue;
    char& bits = bytes[mask + i / 8];
    bits = static_cast<char>(static_cast<unsigned char>(bits) | 1U << (i % 8));
    bytes.append(from, row);
  }
}

Tensors split_rows(std::string_view bytes, const std::vector<TensorSpec>& specs,
                   const RowFilters& filters) {
  if (std::none_of(filters.begin(), filters.end(), [](const auto& filter) { return filter; }))
    return split_bytes(bytes, specs);
  Tensors values;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (filters[i]) {
      values.push_back(take_rows(bytes, specs[i], *filters[i]));
      continue;
    }
    const size_t count = std::min(byte_count(specs[i]), bytes.size());
    values.push_back(split_bytes(bytes.substr(0, count), {specs[i]})[0]);
    bytes.remove_prefix(count);
  }
  if (!bytes.empty()) throw ValueError("{} bytes of another process are left over.", bytes.size());
  return values;
}

}  // namespace antler::cluster
