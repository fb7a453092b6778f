#pragma once

#include <functional>
#include <span>
#include <string>

#include "antler/base/error.h"
#include "check.h"
#include "golden_case.h"

/// What is done with each kind of case; one file per kind.
namespace antler::conformance {

using Runner = void (*)(const GoldenCase& golden, Check& check);

struct Kind {
  const char* name;
  Runner run;
};

/// All kinds, in the order in which they build on each other.
std::span<const Kind> all_kinds();

void run_loss(const GoldenCase& golden, Check& check);
void run_metric(const GoldenCase& golden, Check& check);
void run_optimizer(const GoldenCase& golden, Check& check);
void run_fit(const GoldenCase& golden, Check& check);
void run_interop(const GoldenCase& golden, Check& check);
void run_function(const GoldenCase& golden, Check& check);
void run_layer(const GoldenCase& golden, Check& check);
/// Layers that are made and taught by the case itself; layers of texts.
void run_adapted_layer(const GoldenCase& golden, Check& check);
void run_text_layer(const GoldenCase& golden, Check& check);
void run_initializer(const GoldenCase& golden, Check& check);
void run_errors(const GoldenCase& golden, Check& check);
void run_configurations(const GoldenCase& golden, Check& check);

/// `make()`; an unknown class, or something that it does not do yet, ends the case as unsupported.
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
