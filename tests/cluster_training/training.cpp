// A worker that the tests of antler::cluster start; TF_CONFIG says which one.
//
//   antler_cluster_training SCENARIO ARGUMENTS
//
// Prints the results; the test compares the last line.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>

#include "antler/base/error.h"
#include "cluster_training/scenarios.h"

namespace antler::test {

std::string digest(const Model& model) {
  uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const Tensor& t : model.get_weights()) {
    const auto* bytes = static_cast<const unsigned char*>(t.data());
    for (size_t i = 0; i < t.bytes(); ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  }
  return format("{:016x}", hash);
}

Tensor pattern(const Shape& shape, double step) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i) * step));
  return Tensor::of<float>(values).reshape(shape);
}

cluster::CommunicationOptions communication() {
  cluster::CommunicationOptions options;
  const char* const settings = std::getenv("ANTLER_TEST_COMMUNICATION");
  std::istringstream words(settings == nullptr ? "" : settings);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    const std::string value = word.substr(std::min(name.size() + 1, word.size()));
    if (name == "ring")
      options.implementation = cluster::CommunicationImplementation::ring;
    else if (name == "mpi")
      options.implementation = cluster::CommunicationImplementation::mpi;
    else if (name == "pack")
      options.bytes_per_pack = std::stoll(value);
    else if (name == "dtype")
      options.gradient_dtype = parse_dtype(value);
    else if (name == "timeout")
      options.timeout_seconds = std::stod(value);
    else
      throw ValueError("unknown setting {}", word);
  }
  return options;
}

namespace {

int run(const std::vector<std::string>& arguments) {
  const std::string& scenario = arguments.at(0);
  config::set_threads(1);
  if (scenario == "preemption") {
    preemption(arguments.at(1), std::stoll(arguments.at(2)));
    return 0;
  }
  if (scenario == "fixed") {
    fixed(arguments.at(1), arguments.at(2));
    return 0;
  }
  if (scenario == "data_server") {
    data_server();
    return 0;
  }
  if (scenario == "elastic") {
    // EPOCHS SAMPLES BATCH STEPS_PER_EXECUTION MILLISECONDS TIMEOUT [EPOCH.STEP|trace WORKER]
    ElasticOptions options;
    if (arguments.size() > 1) options.epochs = std::stoll(arguments[1]);
    if (arguments.size() > 2) options.samples = std::stoll(arguments[2]);
    if (arguments.size() > 3) options.batch = std::stoll(arguments[3]);
    if (arguments.size() > 4) options.steps_per_execution = std::stoll(arguments[4]);
    if (arguments.size() > 5) options.milliseconds = std::stoll(arguments[5]);
    if (arguments.size() > 6) options.timeout = std::stod(arguments[6]);
    if (arguments.size() > 8 && !arguments[7].empty()) {
      options.end_at = arguments[7];
      options.end_worker = std::stoll(arguments[8]);
    }
    elastic(options);
    return 0;
  }
  if (scenario == "elastic_program") {
    // FOLDER MILLISECONDS [PLACE WORKER before|after]
    ElasticProgramOptions options{.folder = arguments.at(1),
                                  .milliseconds = std::stoll(arguments.at(2))};
    if (arguments.size() > 5) {
      options.end_at = arguments[3];
      options.end_worker = std::stoll(arguments[4]);
      options.after_files = arguments[5] == "after";
    }
    elastic_program(options);
    return 0;
  }
  std::cerr << "unknown scenario " << scenario << std::endl;
  return 2;
}

}  // namespace
}  // namespace antler::test

int main(int argc, char** argv) {
  try {
    return antler::test::run({argv + 1, argv + argc});
  } catch (const antler::Error& error) {
    std::cerr << error.class_name() << ": " << error.what() << std::endl;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
  }
  return 1;
}
