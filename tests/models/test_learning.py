"""What needs a model that has learned; each is trained once."""

import pytest

from keras_absa.data import AspectDataset
from keras_absa.metrics import MetricReport
from tests.models.tiny import MODELS, ROWS, tiny_model

# name -> learning rate, epochs of two batches. A binary scheme has to compare two sentences, which takes longer; the others
# of each kind learn the same way.
TRAINING = {kind: (4e-3, 30) for kind in MODELS} | {"pair_qa_b": (2e-3, 120), "pair_nli_b": (4e-3, 100)}
SLOW = ("cg_sigmoid", "pair_nli_m", "pair_qa_m", "pair_qa_b")


@pytest.fixture(
    scope="module", params=[pytest.param(kind, marks=[pytest.mark.slow] * (kind in SLOW)) for kind in MODELS]
)
def trained(request):
    """Each model, trained on 24 rows, and its history."""
    model = tiny_model(request.param)
    rate, epochs = TRAINING[request.param]
    model.compile(learning_rate=rate)
    batch_size = 12 * model.text_encoder.num_candidates
    history = model.fit(
        AspectDataset(ROWS, model.task, batch_size=batch_size, sampler="shuffle"), epochs=epochs, verbose=0
    )
    return model, history.history


class TestTrained:
    """What needs a model that has learned; each is trained once."""

    def test_overfits(self, trained):
        model, history = trained
        assert history["loss"][0] > 0.3 and history["loss"][-1] < 0.05
        report = model.evaluate(ROWS)
        assert isinstance(report, MetricReport) and report["accuracy"] == 1.0 and report.counts["rows"] == len(ROWS)

    def test_one_trace(self, trained):
        """Batches of all lengths share one [None, None] graph, made once."""
        assert trained[0].train_function.experimental_get_tracing_count() == 1
