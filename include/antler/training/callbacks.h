#pragma once

#include <tuple>

/// All callbacks: an #include for each, and an entry in the list at the end.
#include "antler/training/callback.h"
#include "antler/training/callbacks/backup_and_restore.h"
#include "antler/training/callbacks/base_logger.h"
#include "antler/training/callbacks/csv_logger.h"
#include "antler/training/callbacks/deserialize.h"
#include "antler/training/callbacks/early_stopping.h"
#include "antler/training/callbacks/lambda_callback.h"
#include "antler/training/callbacks/learning_rate_scheduler.h"
#include "antler/training/callbacks/model_checkpoint.h"
#include "antler/training/callbacks/progbar_logger.h"
#include "antler/training/callbacks/reduce_lr_on_plateau.h"
#include "antler/training/callbacks/remote_monitor.h"
#include "antler/training/callbacks/swap_ema_weights.h"
#include "antler/training/callbacks/tensorboard.h"
#include "antler/training/callbacks/terminate_on_nan.h"
#include "antler/training/callbacks/update_embedding.h"

namespace antler::callbacks {

/// The classes that deserialize() can create. Each has its class name, `kName`, and a
/// `from_config()`.
using BuiltIn = std::tuple<BackupAndRestore, BaseLogger, CSVLogger, EarlyStopping,
                           LearningRateScheduler, ModelCheckpoint, ProgbarLogger, ReduceLROnPlateau,
                           RemoteMonitor, SwapEMAWeights, TensorBoard, TerminateOnNaN>;

}  // namespace antler::callbacks
