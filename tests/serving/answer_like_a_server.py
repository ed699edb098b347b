"""Answers requests from an export as TensorFlow Serving does: tensorflow and tensorflow_text only, through the
session loader.

Usage: python answer_like_a_server.py EXPORT < requests.json
A request is {"signature": name, "inputs": {name: nested lists}}; the answers are printed as one JSON list.
"""

import json
import sys

import numpy as np
import tensorflow as tf
import tensorflow_text  # noqa: F401  (registers the operations, as the server's binary does)


def main():
    requests = json.load(sys.stdin)
    answers = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], sys.argv[1])
        for request in requests:
            signature = loaded.signature_def[request["signature"]]
            assert set(request["inputs"]) == set(signature.inputs), (
                sorted(request["inputs"]),
                sorted(signature.inputs),
            )
            feed = {
                signature.inputs[name].name: np.array(rows, tf.as_dtype(signature.inputs[name].dtype).as_numpy_dtype)
                for name, rows in request["inputs"].items()
            }
            outputs = session.run({name: info.name for name, info in signature.outputs.items()}, feed)
            answers.append({name: plain(value) for name, value in outputs.items()})
    allowed = {"tensorflow", "tensorflow_text"}
    assert not {"keras_absa", "transformers"} & set(sys.modules), f"only {allowed} may be needed"
    print(json.dumps({"tensorflow": tf.__version__, "answers": answers}))


def plain(value):
    if value.dtype == object:
        return np.vectorize(lambda entry: entry.decode("utf-8"), otypes=[object])(value).tolist()
    return value.tolist()


if __name__ == "__main__":
    main()
