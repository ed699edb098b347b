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
    """Drops what the oldest servers do not know and what carries no meaning, from a SavedModel on disk: attributes without
    effect, and functions that nothing calls, such as the gradients that an LSTM layer registers.

    Args:
        folder: The folder with `saved_model.pb`.

    Returns:
        The attributes that were dropped, as "operation.attribute", sorted.

    Raises:
        ValueError: If an operation or a meaningful attribute is younger than the oldest servers; the message
            names it and the function it is in.
    """
    known = json.loads(DEFINITIONS.read_text("utf-8"))
    path = Path(folder) / "saved_model.pb"
    saved = SavedModel.FromString(path.read_bytes())
    dropped, refused = set(), []
    pruned = sum(_drop_unreached(meta_graph) for meta_graph in saved.meta_graphs)
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
    if dropped or pruned:
        path.write_bytes(saved.SerializeToString(deterministic=True))
        # It holds checksums of the graph as it was before; servers only log it.
        (Path(folder) / "fingerprint.pb").unlink(missing_ok=True)
    return sorted(dropped)


def _drop_unreached(meta_graph) -> int:
    """Removes the functions that neither a signature nor a saved object leads to; gives their number."""
    library = meta_graph.graph_def.library
    functions = {function.signature.name: function.node_def for function in library.function}
    gradients = {each.function_name: each.gradient_func for each in library.gradient}
    reached, left = set(), [*meta_graph.object_graph_def.concrete_functions, *_called(meta_graph.graph_def.node)]
    while left:
        name = left.pop()
        if name in functions and name not in reached:
            reached.add(name)
            left += [*_called(functions[name]), *([gradients[name]] if name in gradients else [])]
    before = len(library.function)
    for part, name_of in (
        (library.function, lambda each: each.signature.name),
        (library.gradient, lambda each: each.function_name),
        (library.registered_gradients, lambda each: each.gradient_func),
    ):
        kept = [each for each in part if name_of(each) in reached]
        del part[:]
        part.extend(kept)
    return before - len(library.function)


def _called(nodes):
    """Names of the functions that nodes call or refer to."""
    for node in nodes:
        yield node.op  # a call in the old way
        for value in node.attr.values():
            yield value.func.name
            yield from (function.name for function in value.list.func)


def _is_default(node, name) -> bool:
    from tensorflow.python.framework import op_def_registry

    definition = op_def_registry.get(node.op)
    declared = {attribute.name: attribute for attribute in definition.attr} if definition else {}
    return (
        name in declared
        and declared[name].HasField("default_value")
        and declared[name].default_value == node.attr[name]
    )
