"""`keras-absa train`: from files to a saved model and its scores."""

import shutil
from pathlib import Path
from typing import Annotated, Literal

import typer

from keras_absa.cli.command_group import STOPPED, quiet_tensorflow, tell
from keras_absa.cli.json_output import to_json

JOINT = "joint-encoder"
Model = Literal["qacg", "cg", "pair", "self-attentive", "self-attentive-pair", "joint-encoder"]
ON_WORDS = ("self-attentive", "self-attentive-pair")
Scheme = Literal["nli_m", "qa_m", "nli_b", "qa_b", "single"]
Pooling = Literal["cls", "mean", "self-attentive"]
PoolingTokens = Literal["all", "words", "first_segment_words"]
CHECKPOINT = "checkpoint"  # a folder in --output while a run is not finished
SELF_ATTENTIVE = {"hops": 4, "attention_units": 64, "penalty": 0.0}  # its options and their defaults
RUN_FILES = ("model", "result.json")  # what a finished one has
Selection = Literal["dev", "last", "leaking_test"]


def train(
    ctx: typer.Context,
    data: Annotated[
        str,
        typer.Option(
            help="A folder with train, dev and test files, or restaurants | neighbourhoods | cross-modal (for joint-encoder)."
        ),
    ],
    output: Annotated[Path, typer.Option(help="Folder of the run: model/ and result.json go there.")],
    model: Annotated[
        Model,
        typer.Option(
            help="QACG-BERT, CG-BERT, BERT on sentence pairs; without BERT a BiLSTM on texts or on sentence pairs; text, audio "
            "and video encoded together."
        ),
    ] = "qacg",
    backbone: Annotated[str, typer.Option(help="minilm, a folder with a BERT, or a hub name.")] = "minilm",
    task: Annotated[
        str | None,
        typer.Option(
            help="sentihood | semeval2014 | mams | snli | yelp | restaurants | neighbourhoods | terms (aspect terms instead of "
            "categories; needs --model pair or self-attentive-pair), or a .json of AspectTask.to_dict(). "
            "By default it is taken from the data. For joint-encoder: mosei-emotion | mosei-sentiment-7 | mosei-sentiment-2 | "
            "mosei-score | meld-emotion | meld-sentiment | cross-modal, or a .json of JointTask.to_dict()."
        ),
    ] = None,
    epochs: Annotated[int, typer.Option(min=1)] = 4,
    learning_rate: Annotated[
        float | None, typer.Option(min=0.0, help="[default: 2e-5; 1e-3 without BERT; 1e-4 for joint-encoder]")
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1)] = 24,
    sampler: Annotated[
        Literal["balanced", "shuffle"], typer.Option(help="Each label equally often, or each row once an epoch.")
    ] = "balanced",
    seed: Annotated[int, typer.Option(help="Same seed, same run.")] = 0,
    scheme: Annotated[Scheme, typer.Option(help="How aspect and target are written into the input.")] = "nli_m",
    pooling: Annotated[
        Pooling,
        typer.Option(help="What is classified: BERT's pooled [CLS], the mean of the tokens, or several weighted sums."),
    ] = "cls",
    hops: Annotated[
        int | None,
        typer.Option(min=1, help="Weighted sums; only where something is self-attentive.  [default: 4]"),
    ] = None,
    attention_units: Annotated[
        int | None, typer.Option(min=1, help="Width of what weighs them; likewise.  [default: 64]")
    ] = None,
    penalty: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Weight of their overlap in the loss, its mean over hops x hops; likewise.  [default: 0]"
        ),
    ] = None,
    pooling_tokens: Annotated[
        PoolingTokens | None,
        typer.Option(help="Which tokens --pooling mean or self-attentive looks at.  [default: all]"),
    ] = None,
    gate_activation: Annotated[
        Literal["tanh", "sigmoid"] | None,
        typer.Option(help="Of CG-BERT's gates; only with --model cg.  [default: tanh]"),
    ] = None,
    clean: Annotated[
        Literal["raw", "treebank"], typer.Option(help="SentiHood texts: as they are, or as published runs.")
    ] = "raw",
    holdout: Annotated[
        float,
        typer.Option(
            min=0.001, max=0.999, help="Share of training texts that becomes the dev split where there is none."
        ),
    ] = 0.1,
    on_error: Annotated[
        Literal["raise", "skip"], typer.Option(help="Rows that cannot be used: name them and stop, or leave them out.")
    ] = "raise",
    rejects: Annotated[
        Path | None,
        typer.Option(
            help="Where to list what --on-error skip and --conflict drop leave out, one JSON object a mistake."
        ),
    ] = None,
    conflict: Annotated[
        Literal["keep", "drop", "error"], typer.Option(help="What becomes of a question that has two labels.")
    ] = "keep",
    max_length: Annotated[int, typer.Option(min=4, help="Most tokens of a row.")] = 128,
    optimizer: Annotated[
        Literal["bert_adam", "adam", "adamw"] | None,
        typer.Option(help="[default: bert_adam; adam without BERT and for joint-encoder]"),
    ] = None,
    word_vectors: Annotated[
        Path | None, typer.Option(help="GloVe, word2vec or fastText file for a model without BERT; random if left out.")
    ] = None,
    modalities: Annotated[
        str | None,
        typer.Option(help="Of a joint-encoder, the guide first: text,audio.  [default: all]"),
    ] = None,
    lengths: Annotated[
        str | None, typer.Option(help="Likewise; words and frames of each: text=40,audio=60.  [default: 60 each]")
    ] = None,
    hidden_units: Annotated[int | None, typer.Option(min=1, help="Likewise; its width.  [default: 512]")] = None,
    inner_units: Annotated[int | None, typer.Option(min=1, help="Likewise; of its networks.  [default: 1024]")] = None,
    num_heads: Annotated[int | None, typer.Option(min=1, help="Likewise; of its attention.  [default: 4]")] = None,
    num_blocks: Annotated[int | None, typer.Option(min=1, help="Likewise.  [default: 4]")] = None,
    schedule: Annotated[
        Literal["halve", "constant"],
        typer.Option(
            help="Likewise; the best weights again and half the rate where dev does not rise, twice, and an end after three more "
            "such epochs; or one rate for all epochs."
        ),
    ] = "halve",
    class_weights: Annotated[
        bool, typer.Option("--class-weights", help="Likewise; rare classes and labels count more in the loss.")
    ] = False,
    selection: Annotated[
        Selection,
        typer.Option(
            help="The epoch that is saved: best on dev, the last, or best on test (its test scores are optimistic)."
        ),
    ] = "dev",
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Fit a temperature to the dev split: probabilities as sure as the model is right."
        ),
    ] = False,
    checkpoint_every: Annotated[
        int, typer.Option(min=0, help="Steps between two checkpoints of the training; 0 for none.")
    ] = 200,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an interrupted run in --output; starts it if there is none.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run that is in --output.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print result.json instead of tables.")] = False,
):
    """Train a model, save it, and score it on the test split.

    The test split is scored twice, with the weights of the last epoch and with those of the epoch that was best on dev.
    Progress goes to stderr, results to stdout. A run that was killed goes on with the same command and --resume; on a CPU
    its weights are then those of a run that was never interrupted, bit for bit.

    \b
    Examples:
      keras-absa train --data restaurants --output runs/first --epochs 2 --learning-rate 5e-5
      keras-absa train --data data/sentihood --output runs/sentihood --learning-rate 5e-5
      keras-absa train --data my_tables/ --output runs/shop --sampler shuffle --json
      keras-absa train --model cg --gate-activation sigmoid --data data/semeval2014 --output runs/cg
      keras-absa train --model pair --pooling self-attentive --hops 8 --penalty 0.1 --data restaurants --output runs/hops
      keras-absa train --model self-attentive --word-vectors glove.6B.100d.txt --data restaurants --output runs/bilstm
      keras-absa train --model joint-encoder --task mosei-emotion --data mosei/ --epochs 99 --batch-size 32 --output runs/tbje
      keras-absa train --model joint-encoder --task cross-modal --data cross-modal --num-blocks 1 --hidden-units 32 \\
        --inner-units 32 --num-heads 2 --schedule constant --epochs 14 --learning-rate 3e-3 --output runs/joint
    """
    from keras_absa.cli.data_source import find_task, read_splits
    from keras_absa.cli.joint_job import check_options, joint_job

    given = [name for name in ctx.params if ctx.get_parameter_source(name).name == "COMMANDLINE"]
    check_options(given, model == JOINT)
    arguments = {key: value for key, value in ctx.params.items() if key not in ("as_json", "overwrite", "resume")}
    if gate_activation and model != "cg":
        raise ValueError(f"`--gate-activation` belongs to `--model cg`: received it with {model!r}. Leave it out.")
    for name, usual in SELF_ATTENTIVE.items():
        if pooling != "self-attentive" and model not in ON_WORDS and arguments[name] is not None:
            raise ValueError(
                f"`--{name.replace('_', '-')}` belongs to `--pooling self-attentive`: received it with {pooling!r}. Leave it out."
            )
        arguments[name] = usual if arguments[name] is None else arguments[name]
    if word_vectors and model not in (*ON_WORDS, JOINT):
        raise ValueError(
            f"`--word-vectors` belongs to the models without a BERT: received it with {model!r}. Leave it out."
        )
    if model in ON_WORDS:
        for name, value, wanted in (
            ("scheme", scheme, "nli_m"),
            ("pooling", pooling, "cls"),
            ("backbone", backbone, "minilm"),
        ):
            if value != wanted:
                raise ValueError(
                    f"`--{name}` belongs to the models on a BERT: received it with {model!r}. Leave it out."
                )
    if pooling_tokens and pooling == "cls":
        raise ValueError("`--pooling-tokens` belongs to another `--pooling`: received it with 'cls'. Leave it out.")
    checkpoint = output / CHECKPOINT
    if resume and overwrite:
        raise ValueError("`--resume` goes on with the run that `--overwrite` deletes: received both. Give one of them.")
    if resume and checkpoint_every == 0:
        raise ValueError("`--resume` needs checkpoints: received --checkpoint-every 0. Give the steps between two.")
    if not (resume and checkpoint.is_dir()):
        _check_output(output, overwrite, resume)
    if rejects is not None and on_error != "skip" and conflict != "drop":
        raise ValueError(
            "`--rejects` lists what `--on-error skip` or `--conflict drop` leaves out: received it alone. Add one of them."
        )
    if rejects is not None and rejects.exists() and not overwrite:
        raise ValueError(
            f"`--rejects` must be a new file: received {rejects}, which exists. Add --overwrite to replace it."
        )
    if rejects is not None and not rejects.parent.is_dir():
        raise FileNotFoundError(f"{rejects}: there is no folder {rejects.parent}. Make it, or choose another name.")
    if model == JOINT:
        arguments["backbone"] = backbone if "backbone" in given else None  # words and an LSTM, if none is named
        quiet_tensorflow()
        _run(lambda: joint_job(arguments), output, checkpoint, resume, as_json)
        return
    found_task = find_task(task, data, on_error)
    if found_task.open_aspects and model not in ("pair", "self-attentive-pair"):
        raise ValueError(
            f"`--model {model}` has weights for each of a closed set of aspects: received open ones, such as aspect terms. Use "
            "--model pair or self-attentive-pair."
        )
    reading = {"clean": clean, "holdout": holdout, "seed": seed}
    rows = read_splits(found_task, data, **reading, on_error=on_error, rejects=rejects, conflict=conflict)
    if selection == "leaking_test" and not rows["test"]:
        raise ValueError(f"`--selection leaking_test` needs a test split: {data} has none. Use dev or last.")
    quiet_tensorflow()
    from keras_absa.cli.training_run import aspect_job

    _run(lambda: aspect_job(arguments, found_task, rows), output, checkpoint, resume, as_json)


def _run(make_job, output: Path, checkpoint: Path, resume: bool, as_json: bool) -> None:
    from keras_absa.cli.training_run import run

    job = make_job()
    output.mkdir(parents=True, exist_ok=True)
    if checkpoint.is_dir() and not resume:
        shutil.rmtree(checkpoint)  # --overwrite
    try:
        result, tables = run(job, checkpoint)
    except KeyboardInterrupt:
        if checkpoint.is_dir():
            tell(f"stopped; {checkpoint} holds what was reached. Go on with the same command and --resume.")
        else:
            tell("stopped before the first checkpoint; nothing was kept.")
        raise typer.Exit(STOPPED) from None
    typer.echo(to_json(result) if as_json else tables)
    tell(f"saved {output / 'model'} and {output / 'result.json'}")


def _check_output(output: Path, overwrite: bool, resume: bool) -> None:
    if output.exists() and not output.is_dir():
        raise ValueError(f"`--output` must be a folder: received the file {output}. Choose another name.")
    if not output.is_dir() or not any(output.iterdir()):
        return
    if (output / CHECKPOINT).is_dir() and not overwrite:
        raise ValueError(
            f"`--output` must be new or empty: received {output}, with an interrupted run. Add --resume to go on with it, or "
            "--overwrite to start anew."
        )
    if resume and (output / "result.json").is_file():
        raise ValueError(
            f"`--resume` goes on with an interrupted run: {output} holds one that is finished. Read {output / 'result.json'}, "
            "or choose another name."
        )
    if not overwrite:
        raise ValueError(
            f"`--output` must be new or empty: received {output}, which is not. Add --overwrite to replace the run."
        )
    foreign = sorted(path.name for path in output.iterdir() if path.name not in (*RUN_FILES, CHECKPOINT))
    model = output / "model"
    if foreign or (model.exists() and not (model / "keras_absa.json").is_file()):
        raise ValueError(
            f"`--overwrite` replaces runs only: received {output}, which holds {', '.join(foreign[:5]) or 'another model/'}. "
            "Choose another name."
        )
