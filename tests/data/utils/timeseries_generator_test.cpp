#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/data/utils/datasets.h"

namespace antler::utils {
namespace {

Tensor ramp(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return Tensor::of(values, {count, 1});
}

TEST(TimeseriesGenerator, GivesTheRowsBeforeATarget) {
  // The example of Keras's documentation.
  TimeseriesGenerator generator(ramp(50), ramp(50), 10, {.sampling_rate = 2, .batch_size = 2});
  EXPECT_EQ(generator.size(), 20);
  const Nest batch = generator.item(0);
  EXPECT_EQ(batch[0].tensor().shape(), (Shape{2, 5, 1}));
  EXPECT_EQ(batch[0].tensor().to_doubles(), (std::vector<double>{0, 2, 4, 6, 8, 1, 3, 5, 7, 9}));
  EXPECT_EQ(batch[1].tensor().to_doubles(), (std::vector<double>{10, 11}));
  EXPECT_EQ(generator.item(19)[1].tensor().to_doubles(), (std::vector<double>{48, 49}));
}

TEST(TimeseriesGenerator, StridesEndsAndReverses) {
  TimeseriesGenerator generator(ramp(20), ramp(20), 3,
                                {.sampling_rate = 2,
                                 .stride = 4,
                                 .start_index = 1,
                                 .end_index = 15,
                                 .reverse = true,
                                 .batch_size = 2});
  EXPECT_EQ(generator.size(), 2);
  EXPECT_EQ(generator.item(0)[0].tensor().to_doubles(), (std::vector<double>{3, 1, 7, 5}));
  EXPECT_EQ(generator.item(1)[1].tensor().to_doubles(), (std::vector<double>{12}));
}

TEST(TimeseriesGenerator, DrawsAnewInEachPass) {
  TimeseriesGenerator generator(ramp(200), ramp(200), 4, {.shuffle = true, .batch_size = 50});
  const std::vector<double> first = generator.item(0)[1].tensor().to_doubles();
  EXPECT_EQ(first, generator.item(0)[1].tensor().to_doubles());
  for (const double target : first) EXPECT_TRUE(target >= 4 && target <= 199);
  generator.on_epoch_end();
  EXPECT_NE(first, generator.item(0)[1].tensor().to_doubles());
}

TEST(TimeseriesGenerator, BadArguments) {
  EXPECT_THROW(TimeseriesGenerator(ramp(5), ramp(4), 2), ValueError);
  EXPECT_THROW(TimeseriesGenerator(ramp(5), ramp(5), 5), ValueError);
  EXPECT_THROW(TimeseriesGenerator(ramp(5), ramp(5), 0), ValueError);
  EXPECT_THROW(TimeseriesGenerator(ramp(5), ramp(5), 2, {.end_index = 5}), ValueError);
  EXPECT_THROW(TimeseriesGenerator(ramp(5), ramp(5), 2, {.stride = 0}), ValueError);
}

}  // namespace
}  // namespace antler::utils
