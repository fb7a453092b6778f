#include "all_reduce.h"

#ifdef ANTLER_BENCH_CLUSTER

#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/communicator.h"

namespace antler::bench {
namespace {

/// A folder that all workers share; the chief's instance removes it.
class SharedFolder {
 public:
  explicit SharedFolder(ops::Communicator& group) : group_(group), path_(64, '\0') {
    std::string name = (std::filesystem::temp_directory_path() / "antler_bench_XXXXXX").string();
    if (name.size() > path_.size()) throw IOError("The name of {} is too long.", name);
    if (group.rank() == 0 && mkdtemp(name.data()) == nullptr)
      throw IOError("Cannot create the folder {}.", name);
    name.copy(path_.data(), path_.size());
    group.broadcast(std::as_writable_bytes(std::span(path_)), 0);
  }
  ~SharedFolder() {
    group_.barrier();
    if (group_.rank() == 0) std::filesystem::remove_all(path_.c_str());
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  std::string path() const { return path_.c_str(); }

 private:
  ops::Communicator& group_;
  std::string path_;
};

std::shared_ptr<gloo::Context> connect_gloo(const ops::Communicator& group,
                                            const std::string& folder) {
  auto device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr("127.0.0.1"));
  auto context = std::make_shared<gloo::rendezvous::Context>(static_cast<int>(group.rank()),
                                                             static_cast<int>(group.size()));
  gloo::rendezvous::FileStore store(folder);
  context->connectFullMesh(store, device);
  return context;
}

void reduce_by_gloo(const std::shared_ptr<gloo::Context>& context, std::vector<float>& values) {
  gloo::AllreduceOptions options(context);
  options.setOutput(values.data(), values.size());
  options.setReduceFunction(
      static_cast<void (*)(void*, const void*, const void*, size_t)>(&gloo::sum<float>));
  options.setTag(1);
  gloo::allreduce(options);
}

/// The median time of several calls that all workers start together.
template <class Call>
double timed(ops::Communicator& group, const Call& call) {
  group.barrier();
  const double start = now();
  call();
  return now() - start;
}

}  // namespace

void run_all_reduces(Context& context) {
  const std::shared_ptr<ops::Communicator> group = ops::communicator();
  if (group == nullptr || group->size() == 1) return;
  const SharedFolder folder(*group);
  const std::shared_ptr<gloo::Context> gloo = connect_gloo(*group, folder.path());
  for (const size_t bytes : {size_t{4} << 10, size_t{1} << 20, size_t{64} << 20}) {
    std::vector<float> values(bytes / sizeof(float), 0.0F);
    std::vector<double> ours;
    std::vector<double> theirs;
    const int repeats = bytes > size_t{1} << 20 ? 15 : 101;
    for (int i = 0; i < repeats; ++i) {
      ours.push_back(timed(*group, [&] {
        group->all_reduce(values.data(), values.size(), DType::float32, ops::ReduceOp::sum);
      }));
      theirs.push_back(timed(*group, [&] { reduce_by_gloo(gloo, values); }));
    }
    context.variant = format("bytes={}", bytes);
    const double mine = median(ours);
    emit(context, "all_reduce", mine * 1e6, "us");
    emit(context, "all_reduce_gloo", median(theirs) * 1e6, "us");
    emit(context, "share_of_gloo", median(theirs) / mine, "");
  }
}

}  // namespace antler::bench

#else

namespace antler::bench {

void run_all_reduces(Context&) {}

}  // namespace antler::bench

#endif
