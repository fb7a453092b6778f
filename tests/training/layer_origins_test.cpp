// Profiles and dumps name the layers that kernels and nodes compute for.
#include <algorithm>

#include <gtest/gtest.h>

#include "antler/antler.h"

namespace antler {
namespace {

Sequential wide_model() {
  Sequential model({Input({300}), Dense(200, {.activation = "relu", .name = "first"}),
                    Dense(100, {.name = "second"})},
                   "net");
  model.compile({.optimizer = "adam", .loss = "mse"});
  return model;
}

TEST(LayerOrigins, ProfilesNameLayers) {
  Sequential model = wide_model();
  Profiler profiler;
  model.fit(ops::ones({64, 300}), ops::ones({64, 100}), {.epochs = 1, .verbose = 0});
  const Profile profile = profiler.stop();
  const auto has = [&](const std::string& layer, const std::string& kernel) {
    return std::any_of(profile.kernels.begin(), profile.kernels.end(), [&](const auto& k) {
      return k.layers == layer && k.name.find(kernel) == 0;
    });
  };
  EXPECT_TRUE(has("net/first", "dot_general 32x300")) << profile.table({});
  EXPECT_TRUE(has("net/second", "dot_general 32x200")) << profile.table({});
  EXPECT_TRUE(has("gradients/net/second", "dot_general")) << profile.table({});
  EXPECT_NE(profile.table({}).find("net/first"), std::string::npos);
}

TEST(LayerOrigins, DumpsNameLayersLossesAndOptimizers) {
  std::string traced;
  config::set_dump_sink([&](const std::string&, const std::string& stage, const std::string& text) {
    if (stage == "simplify") traced = text;
  });
  Sequential model = wide_model();
  model.fit(ops::ones({64, 300}), ops::ones({64, 100}), {.epochs = 1, .verbose = 0});
  config::set_dump_sink({});
  for (const char* origin : {"# net/first\n", "# gradients/net/first\n", "# adam\n",
                             "# mean_squared_error\n", "# gradients/mean_squared_error\n"})
    EXPECT_NE(traced.find(origin), std::string::npos) << origin << traced;
}

}  // namespace
}  // namespace antler
