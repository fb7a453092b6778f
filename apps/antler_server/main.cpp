// A task of a cluster: holds variables or runs steps for a coordinator.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/json.h"
#include "antler/cluster/server.h"

namespace {

struct Options {
  std::string cluster;
  std::string job;
  int64_t index = 0;
  antler::cluster::TlsFiles tls;
};

antler::cluster::Server make_server(const Options& options) {
  if (options.cluster.empty()) return {};
  antler::cluster::ServerOptions server{.job_name = options.job, .task_index = options.index};
  if (!options.tls.certificate.empty()) server.tls = options.tls;
  return {antler::distribute::ClusterSpec::from_dict(antler::Json::parse(options.cluster)), server};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "A task of a cluster with parameter servers: a \"ps\" holds variables, a \"worker\" runs\n"
      "steps. Which task it is comes from TF_CONFIG (`antler launch` sets it), or from --cluster,\n"
      "--job and --index. The token of the cluster is read from ANTLER_CLUSTER_TOKEN.",
      "antler server");
  Options options;
  auto* cluster = app.add_option("--cluster", options.cluster,
                                 R"(JSON: {"worker": ["host:port", ...], "ps": [...]})");
  auto* job = app.add_option("--job", options.job, "The job of this task")->needs(cluster);
  app.add_option("--index", options.index, "Its index within the job")->needs(cluster);
  cluster->needs(job);
  auto* certificate = app.add_option("--tls-certificate", options.tls.certificate,
                                     "PEM file: the certificate chain of this task");
  auto* key = app.add_option("--tls-key", options.tls.key, "PEM file: its private key");
  auto* root = app.add_option("--tls-root", options.tls.root,
                              "PEM file: the authority that signed all certificates");
  certificate->needs(key)->needs(root)->needs(cluster);
  key->needs(certificate);
  root->needs(certificate);
  CLI11_PARSE(app, argc, argv);
  try {
    antler::cluster::Server server = make_server(options);
    std::fprintf(stderr, "antler server: listening at %s\n", server.target().c_str());
    server.join();
    return 0;
  } catch (const antler::Error& error) {
    std::fprintf(stderr, "antler server: %s: %s\n", error.class_name(), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "antler server: %s\n", error.what());
  }
  return 1;
}
