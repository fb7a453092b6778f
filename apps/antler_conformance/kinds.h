#pragma once

#include <functional>
#include <span>
#include <string>

#include "antler/base/error.h"
#include "check.h"
#include "golden_case.h"

/// The runners of each kind of case; one file per kind.
namespace antler::conformance {

using Runner = void (*)(const GoldenCase& golden, Check& check);

struct Kind {
  const char* name;
  Runner run;
};

/// All kinds; later ones build on earlier ones.
std::span<const Kind> all_kinds();

void run_loss(const GoldenCase& golden, Check& check);
void run_metric(const GoldenCase& golden, Check& check);
void run_optimizer(const GoldenCase& golden, Check& check);
void run_fit(const GoldenCase& golden, Check& check);
/// Calls of fit(), training loops and other calls under a distribution strategy.
void run_distribute(const GoldenCase& golden, Check& check);
void run_interop(const GoldenCase& golden, Check& check);
void run_function(const GoldenCase& golden, Check& check);
void run_layer(const GoldenCase& golden, Check& check);
/// Layers that the case creates and adapts itself, and layers for strings.
void run_adapted_layer(const GoldenCase& golden, Check& check);
void run_text_layer(const GoldenCase& golden, Check& check);
void run_initializer(const GoldenCase& golden, Check& check);
/// Scenarios and tables of antler::estimator.
void run_estimator(const GoldenCase& golden, Check& check);
void run_errors(const GoldenCase& golden, Check& check);
void run_configurations(const GoldenCase& golden, Check& check);

/// Calls `make()`. The case is unsupported if a class is unknown or something is not implemented.
template <class F>
auto make_or_unsupported(const F& make) {
  try {
    return make();
  } catch (const NotImplementedError& error) {
    throw Unsupported{error.what()};
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const char* start : {"Unknown ", "Could not interpret ", "Could not locate class"}) {
      if (text.starts_with(start)) throw Unsupported{text.substr(0, text.find(". "))};
    }
    throw;
  }
}

}  // namespace antler::conformance
