import json
import signal
import subprocess
import sys
import time


def test_a_killed_run_goes_on(keras_absa, shop, backbone, tmp_path):
    """Killed for real after its first checkpoint, and continued: the scores are those of a run that nobody killed."""
    common = ["--data", shop, "--backbone", backbone, "--max-length", 24, "--epochs", 12, "--checkpoint-every", 1]
    arguments = [str(each) for each in ("train", *common, "--output", tmp_path / "killed")]
    process = subprocess.Popen([sys.executable, "-m", "keras_absa", *arguments], stderr=subprocess.DEVNULL)
    checkpoint = tmp_path / "killed" / "checkpoint" / "training.npz"
    deadline = time.monotonic() + 300
    while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL and checkpoint.exists()

    assert "--resume" in keras_absa(*arguments, code=2).stderr
    assert "--checkpoint-every" in keras_absa(*arguments[:-3], "0", *arguments[-2:], "--resume", code=2).stderr
    wrong = [{"12": "13"}.get(each, each) for each in arguments]
    assert "the number of epochs is 13 now, 12" in keras_absa(*wrong, "--resume", code=2).stderr
    keras_absa(*arguments, "--resume")
    assert not checkpoint.parent.exists()
    keras_absa("train", *common, "--output", tmp_path / "whole")
    killed, whole = (json.loads((tmp_path / name / "result.json").read_text()) for name in ("killed", "whole"))
    for part in ("history", "dev", "selection", "test_scores"):
        assert killed[part] == whole[part], part
