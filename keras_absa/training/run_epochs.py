"""What `fit` does once it is known which rows make a batch: from a plan of batches to Keras' own `fit`."""


def run_epochs(
    model, fit, *, steps, plan_of, batches, epochs, initial_epoch, callbacks, checkpoint, training, **kwargs
):
    """Trains over the batches of a plan, and goes on with an interrupted training.

    Args:
        model: The compiled model.
        fit: `keras.Model.fit`, bound to it.
        steps: Int, batches of an epoch.
        plan_of: Function from an epoch's number to a list of its batches, each an array of rows.
        batches: Function from such a list to a `tf.data.Dataset`.
        epochs, initial_epoch, callbacks: As for Keras.
        checkpoint: A `TrainingCheckpoint`, or None.
        training: Function without arguments: what two processes must have in common to go on with one training.
        **kwargs: Passed to Keras.

    Returns:
        The Keras `History`.
    """
    callbacks = list(callbacks)
    if hasattr(model.optimizer, "build"):
        model.optimizer.build(model.trainable_variables)  # a step that makes variables is traced twice
    first_step = 0
    if checkpoint is not None:
        initial_epoch, first_step = checkpoint.begin(model, callbacks, steps, training())
        callbacks.append(checkpoint)
    plan = [batch for epoch in range(min(initial_epoch, epochs - 1), epochs) for batch in plan_of(epoch)]
    data = batches(plan[first_step:])
    model._training_state = checkpoint  # Keras asks it at which step to begin
    try:
        history = fit(
            data, epochs=epochs, initial_epoch=initial_epoch, steps_per_epoch=steps, callbacks=callbacks, **kwargs
        )
    finally:
        model._training_state = None
    return history if checkpoint is None else checkpoint.complete(history)
