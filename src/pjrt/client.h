#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/device_value.h"
#include "antler/core/tensor.h"
#include "antler/runtime/device.h"
#include "pjrt/compile_options.h"
#include "pjrt/plugin.h"

namespace antler::pjrt {

class Client;

/// An event of the plug-in, waited for at most once. Destroying it does not wait.
class Event {
 public:
  Event() = default;
  Event(const Plugin& plugin, c_api::Event* event) : plugin_(&plugin), event_(event) {}
  Event(Event&& other) noexcept
      : plugin_(other.plugin_), event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(plugin_, other.plugin_);
    std::swap(event_, other.event_);
    return *this;
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();
  /// Returns when the event has happened; throws if it failed.
  void wait(const char* what);

 private:
  const Plugin* plugin_ = nullptr;
  c_api::Event* event_ = nullptr;
};

/// An array in the memory of a device.
class DeviceBuffer final : public DeviceValue {
 public:
  DeviceBuffer(Client& client, int device, TensorSpec spec, c_api::Buffer* buffer)
      : client_(client), device_(device), spec_(std::move(spec)), buffer_(buffer) {}
  ~DeviceBuffer() override;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void copy_to(void* memory) override;
  /// The same, without waiting: `memory` is written when the event has happened.
  Event start_copy_to(void* memory);
  const Client& client() const { return client_; }
  int device() const { return device_; }
  const TensorSpec& spec() const { return spec_; }
  c_api::Buffer* get() const { return buffer_; }

 private:
  Client& client_;
  int device_;
  TensorSpec spec_;
  c_api::Buffer* buffer_;
};
using BufferPtr = std::shared_ptr<DeviceBuffer>;
using Buffers = std::vector<BufferPtr>;

/// A compiled StableHLO module, loaded on one device, or on several that run it together.
class Executable {
 public:
  Executable(Client& client, std::vector<int> devices, c_api::LoadedExecutable* loaded);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  /// Starts a run on all devices and returns its results, which can be passed to later runs at
  /// once; arguments and results are listed by device. Arguments that the module may overwrite
  /// become invalid. If `done` is given, it receives the events for the end of the run on each
  /// device.
  std::vector<Buffers> run(std::span<const Buffers> arguments, std::span<const TensorSpec> results,
                           std::vector<Event>* done = nullptr) const;
  c_api::Executable* get() const { return executable_; }
  /// Bytes of temporary memory of a run; 0 if the plug-in does not say.
  int64_t temporary_bytes() const;

 private:
  Client& client_;
  std::vector<int> devices_;
  c_api::LoadedExecutable* loaded_;
  c_api::Executable* executable_ = nullptr;
};

/// The devices of one plug-in.
class Client {
 public:
  /// The client of a plug-in, made on first use; lives until the process ends.
  static Client& of(const std::string& plugin_path);

  const Plugin& plugin() const { return plugin_; }
  const std::string& platform() const { return platform_; }
  int device_count() const { return static_cast<int>(devices_.size()); }
  runtime::DeviceInfo info(int device) const;

  /// Copies an array to a device. `data` must not change until `done` has happened. Without `done`,
  /// it may change once the call returns. `strides`, if given, is the distance in bytes between
  /// consecutive indices of each dimension.
  BufferPtr upload(const void* data, const TensorSpec& spec, int device, Event* done = nullptr,
                   std::span<const int64_t> strides = {});
  /// `array` on a device. It is sent on first use, and stays there as long as the array lives.
  BufferPtr resident(const Tensor& array, int device);
  /// A module for devices that run it together: replica or partition i on `devices[i]`.
  std::unique_ptr<Executable> compile(const std::string& module, const std::string& name,
                                      std::span<const int> devices,
                                      Sharing sharing = Sharing::replicas);

 private:
  friend class DeviceBuffer;
  friend class Executable;
  explicit Client(const Plugin& plugin);
  c_api::DeviceDescription* description(int device) const;
  int64_t device_id(int device) const;

  const Plugin& plugin_;
  c_api::Client* client_ = nullptr;
  std::string platform_;
  std::string platform_version_;
  std::vector<c_api::Device*> devices_;
  struct Resident {
    std::weak_ptr<Buffer> array;
    BufferPtr copy;
  };
  std::mutex mutex_;  ///< guards residents_
  std::vector<Resident> residents_;
};

}  // namespace antler::pjrt
