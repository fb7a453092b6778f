#pragma once

/// All callbacks.
#include "antler/training/callback.h"
#include "antler/training/callbacks/lambda_callback.h"
#include "antler/training/callbacks/progbar_logger.h"
