import os
import signal

import pytest

from keras_absa.cli.stop_between_steps import StopBetweenSteps


def test_the_first_waits_for_the_step_and_the_second_does_not(capsys):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), StopBetweenSteps() as stop:
        stop.on_train_batch_end(0)
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.asked and "Ctrl-C again stops at once" in capsys.readouterr().err
        stop.on_train_batch_end(1)
    with pytest.raises(KeyboardInterrupt), StopBetweenSteps():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), StopBetweenSteps():
        os.kill(os.getpid(), signal.SIGINT)  # no step comes after it
    with StopBetweenSteps():
        pass
    assert signal.getsignal(signal.SIGINT) is before
