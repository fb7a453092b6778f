#!/usr/bin/env python3
"""Times functions that TensorFlow's ClusterCoordinator schedules: prints the lines of `antler_bench coordinator`.

    antler launch --workers 1 --ps 1 --threads-per-worker 1 -- python3 bench_coordinator.py
    antler launch --workers 1 --ps 1 --threads-per-worker 1 -- antler_bench coordinator
"""
import json
import os
import statistics
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import tensorflow as tf
import tf_keras as keras

REPEATS = 7


def time_functions(metric, coordinator, function, count):
    times = []
    for repeat in range(REPEATS + 1):
        begin = time.perf_counter()
        for _ in range(count):
            coordinator.schedule(function)
        coordinator.join()
        if repeat:
            times.append((time.perf_counter() - begin) / count)
    print(json.dumps({"case": "coordinator", "peer": "tensorflow", "variant": "", "metric": metric,
                      "value": 1 / statistics.median(times), "unit": "1/s"}), flush=True)


def main():
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc").join()
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        kernel = tf.Variable(tf.zeros((1000, 1)))
        optimizer = keras.optimizers.SGD(0.1)
        optimizer.build([kernel])

    @tf.function
    def empty():
        return tf.zeros(())

    def replica_step():
        x = tf.ones((8, 1000)) * 0.001
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ kernel - 1.0))
        optimizer.apply_gradients([(tape.gradient(loss, kernel), kernel)])
        return loss

    @tf.function
    def step():
        return strategy.run(replica_step)

    time_functions("empty_functions", coordinator, empty, 1000)
    time_functions("steps_of_1000_parameters", coordinator, step, 500)


main()
