import json
import signal
import subprocess
import sys
import time


def test_a_run_that_was_stopped_and_killed_goes_on(keras_absa, shop, backbone, tmp_path):
    """Stopped by Ctrl-C, continued, killed for real, continued: the scores are those of a run that nobody touched."""
    common = ["--data", shop, "--backbone", backbone, "--max-length", 24, "--epochs", 12, "--checkpoint-every", 1]
    arguments = [str(each) for each in ("train", *common, "--output", tmp_path / "killed")]
    checkpoint = tmp_path / "killed" / "checkpoint" / "training.npz"

    code, stderr = interrupted([*arguments], checkpoint, signal.SIGINT)
    assert (
        code == 130 and f"stopped; {checkpoint.parent} holds what was reached" in stderr and "Traceback" not in stderr
    )
    code, _ = interrupted([*arguments, "--resume"], checkpoint, signal.SIGKILL)
    assert code == -signal.SIGKILL and checkpoint.exists()

    assert "--resume" in keras_absa(*arguments, code=2).stderr
    assert "--checkpoint-every" in keras_absa(*arguments[:-3], "0", *arguments[-2:], "--resume", code=2).stderr
    faster = keras_absa(*arguments, "--resume", "--learning-rate", "0.5", code=2).stderr
    assert "the optimizer's config's learning_rate is 0.5 now" in faster
    keras_absa(*arguments, "--resume")
    assert not checkpoint.parent.exists()
    keras_absa("train", *common, "--output", tmp_path / "whole")
    killed, whole = (json.loads((tmp_path / name / "result.json").read_text()) for name in ("killed", "whole"))
    for part in ("history", "dev", "selection", "test_scores"):
        assert killed[part] == whole[part], part


def interrupted(arguments, checkpoint, how):
    """Runs the command, sends the signal as soon as a checkpoint is written, and gives the exit code and stderr."""
    before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else None
    process = subprocess.Popen([sys.executable, "-m", "keras_absa", *arguments], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300
    while process.poll() is None and time.monotonic() < deadline:
        if checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
            break
        time.sleep(0.005)
    process.send_signal(how)
    return process.wait(), process.stderr.read()
