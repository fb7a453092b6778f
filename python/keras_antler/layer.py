class AntlerLayer:
    """Base of Keras's layers on this backend. They need nothing beyond what Keras gives them."""
