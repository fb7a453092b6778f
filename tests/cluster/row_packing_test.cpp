#include "cluster/row_packing.h"

#include <gtest/gtest.h>

#include <string>

#include "antler/antler.h"

namespace antler::cluster {
namespace {

RowFilter filter_of(int64_t rows, int64_t begin, int64_t end, bool holds_ids = false) {
  RowFilter filter;
  filter.set_rows(rows);
  filter.set_holds_ids(holds_ids);
  filter.add_ranges()->set_begin(begin);
  filter.mutable_ranges(0)->set_end(end);
  return filter;
}

TEST(RowPacking, RowsOfOtherIdsDoNotTravel) {
  const Tensor ids = Tensor::of<int64_t>({4, -3, 0, 7, 1, 100, 2, 3, 3});
  const Tensor rows = ops::reshape(ops::cast(ops::arange(18), DType::float32), {9, 2});
  const Tensor last = Tensor::of<float>({1, 2});
  const RowFilters filters = {filter_of(9, 0, 4), std::nullopt};
  std::string bytes;
  append_rows(rows, filters[0], {ids}, bytes);
  append_rows(last, filters[1], {ids}, bytes);
  // Two bytes say which rows travel: those of 0, 1, 2, 3 and 3.
  EXPECT_EQ(bytes.size(), 2U + 5 * 8 + 8);
  const Tensors received = split_rows(bytes, {rows.spec(), last.spec()}, filters);
  EXPECT_EQ(received[0].to_doubles(), (std::vector<double>{0, 0, 0, 0, 4, 5, 0, 0, 8,  //
                                                           9, 0, 0, 12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(received[1].to_doubles(), (std::vector<double>{1, 2}));
}

TEST(RowPacking, IdsOfOtherRowsAreNone) {
  for (const DType dtype : {DType::int32, DType::int64}) {
    const Tensor ids = ops::cast(Tensor::of<int64_t>({5, 0, 9, 3}), dtype);
    const RowFilters filters = {filter_of(4, 0, 5, true)};
    std::string bytes;
    append_rows(ids, filters[0], {ids}, bytes);
    EXPECT_EQ(bytes.size(), 1 + 2 * dtype_size(dtype));
    EXPECT_EQ(split_rows(bytes, {ids.spec()}, filters)[0].to_doubles(),
              (std::vector<double>{-1, 0, -1, 3}));
  }
}

TEST(RowPacking, WhatDoesNotFitIsRefused) {
  const std::vector<TensorSpec> specs = {{DType::float32, {4, 2}}};
  const auto refused = [&](const RowFilter& filter, size_t id_arrays) {
    google::protobuf::RepeatedPtrField<RowFilter> filters;
    *filters.Add() = filter;
    EXPECT_THROW(filters_of(filters, specs, id_arrays), ValueError);
  };
  refused(filter_of(0, 0, 4), 1);
  refused(filter_of(3, 0, 4), 1);
  refused(filter_of(4, 0, 4), 0);
  RowFilter of_another = filter_of(4, 0, 4);
  of_another.set_value(1);
  refused(of_another, 1);

  const RowFilters filters = {filter_of(4, 0, 4)};
  EXPECT_THROW(split_rows("", specs, filters), ValueError);
  EXPECT_THROW(split_rows("\x0f" + std::string(31, ' '), specs, filters), ValueError);
  EXPECT_THROW(split_rows("\x0f" + std::string(33, ' '), specs, filters), ValueError);
  EXPECT_NO_THROW(split_rows("\x0f" + std::string(32, ' '), specs, filters));
  std::string bytes;
  EXPECT_THROW(append_rows(Tensor::zeros(DType::float32, {4, 2}), filters[0],
                           {Tensor::of<int64_t>({1, 2})}, bytes),
               ValueError);
  EXPECT_THROW(append_rows(Tensor::zeros(DType::float32, {4, 2}), filters[0],
                           {Tensor::of<float>({1, 2, 3, 4})}, bytes),
               ValueError);
}

}  // namespace
}  // namespace antler::cluster
