"""For pytest, when keras_suite.py runs Keras's own tests on Antler: `trainer_test` imports a class of the
backend by a chain of comparisons of names, and gets a branch more, as modules of Keras do."""

try:
    import keras_antler_plugin

    keras_antler_plugin.BRANCHES["keras.src.trainers.trainer_test"] = (
        "from keras_antler.trainer import AntlerTrainer as Trainer"
    )
except ImportError:  # another backend's environment
    pass
