"""Makes a SavedModel's graph readable for older servers, and refuses what they could not run.

The definitions are those of TensorFlow 2.12.1 with tensorflow-text 2.12.1, the runtime inside the stock
TensorFlow Serving images 2.12 to 2.19: operation name to the names of its attributes.
"""

import json
from pathlib import Path

from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

DEFINITIONS = Path(__file__).parent / "op_definitions_2_12.json"
OLDEST = "TensorFlow 2.12 (Serving 2.12)"

# Attributes that are younger than the oldest definitions and say nothing about the result.
MEANINGLESS = {("VarHandleOp", "debug_name")}


def make_compatible(folder: str | Path) -> list[str]:
    """Drops attributes that the oldest servers do not know and that carry no meaning, from a SavedModel on disk.

    Args:
        folder: The folder with `saved_model.pb`.

    Returns:
        What was dropped, as "operation.attribute", sorted.

    Raises:
        ValueError: If an operation or a meaningful attribute is younger than the oldest servers; the message
            names it and the function it is in.
    """
    known = json.loads(DEFINITIONS.read_text("utf-8"))
    path = Path(folder) / "saved_model.pb"
    saved = SavedModel.FromString(path.read_bytes())
    dropped, refused = set(), []
    for meta_graph in saved.meta_graphs:
        places = [("the main graph", meta_graph.graph_def.node)]
        places += [(function.signature.name, function.node_def) for function in meta_graph.graph_def.library.function]
        for place, nodes in places:
            for node in nodes:
                if node.op not in known:
                    refused.append(f"operation {node.op} (node {node.name} in {place})")
                    continue
                # Names that begin with an underscore are notes of the runtime, never part of a definition.
                for name in [name for name in node.attr if not name.startswith("_") and name not in known[node.op]]:
                    if (node.op, name) in MEANINGLESS or _is_default(node, name):
                        del node.attr[name]
                        dropped.add(f"{node.op}.{name}")
                    else:
                        refused.append(f"attribute {name} of {node.op} (node {node.name} in {place})")
    if refused:
        raise ValueError(
            f"An export must run on {OLDEST}: received {len(refused)} parts that it does not know, the first are "
            f"{'; '.join(refused[:5])}. Replace them by older operations."
        )
    if dropped:
        path.write_bytes(saved.SerializeToString(deterministic=True))
        # It holds checksums of the graph as it was before; servers only log it.
        (Path(folder) / "fingerprint.pb").unlink(missing_ok=True)
    return sorted(dropped)


def _is_default(node, name) -> bool:
    from tensorflow.python.framework import op_def_registry

    definition = op_def_registry.get(node.op)
    declared = {attribute.name: attribute for attribute in definition.attr} if definition else {}
    return (
        name in declared
        and declared[name].HasField("default_value")
        and declared[name].default_value == node.attr[name]
    )
