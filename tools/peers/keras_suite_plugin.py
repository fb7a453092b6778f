"""A pytest plug-in for keras_suite.py. `trainer_test` chooses the backend's class by comparing names; this
adds a branch for Antler, like the ones that keras_antler_plugin adds to Keras's modules."""

try:
    import keras_antler_plugin

    keras_antler_plugin.BRANCHES["keras.src.trainers.trainer_test"] = (
        "from keras_antler.trainer import AntlerTrainer as Trainer"
    )
except ImportError:  # another backend's environment
    pass
