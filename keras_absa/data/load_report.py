"""What a reader saw, merged, ignored or skipped in one file."""

import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class LoadReport:
    """The account of reading one file; pass a fresh one as `report=` to a reader, which fills it in.

    Args:
        path: The file, as it was given to the reader.
        texts: How many texts were read.
        rows: How many `AspectExample` rows they gave.
        counts: How often each thing worth telling happened, by reason, for example `{"duplicates": 3}`.
        samples: The first few places where it happened, by reason.
        rejected: Every mistake that was skipped, and every conflict that was dropped, as (reason, message); the message
            begins with its place.
        max_samples: How many samples a reason keeps. Defaults to 5.

    Example:
        >>> report = LoadReport("shop.csv")
        >>> report.add("empty_text", "shop.csv:4: empty text")
        >>> report.counts
        {'empty_text': 1}
    """

    path: str = ""
    texts: int = 0
    rows: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    samples: dict[str, list[str]] = field(default_factory=dict)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    max_samples: int = 5

    def add(self, reason: str, sample: str) -> None:
        """Counts one event, and keeps it as a sample while there is room."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        kept = self.samples.setdefault(reason, [])
        if len(kept) < self.max_samples:
            kept.append(sample)

    def reject(self, reason: str, message: str) -> None:
        """Counts a mistake that was skipped, and keeps its message."""
        self.add(reason, message)
        self.rejected.append((reason, message))

    def __str__(self):
        lines = [f"{self.path}: {self.texts} texts, {self.rows} rows"]
        for reason, count in sorted(self.counts.items()):
            lines.append(f"  {reason}: {count}")
            lines += [f"    {sample}" for sample in self.samples[reason]]
            if count > len(self.samples[reason]):
                lines.append(f"    ... and {count - len(self.samples[reason])} more")
        return "\n".join(lines)


def write_rejects(reports: list[LoadReport], path: str | Path) -> int:
    """Writes what was skipped to a JSONL file, one object a mistake: `file`, `reason` and `message`.

    Args:
        reports: The reports of one or more files.
        path: The file to write; it is written where nothing was skipped, too.

    Returns:
        How many there were.

    Raises:
        ValueError: If the file is one of those that were read.
        FileNotFoundError: If there is no folder for it.

    Example:
        >>> report = LoadReport("reviews.csv")
        >>> report.reject("empty_text", "reviews.csv:3: empty text, expected some")
        >>> write_rejects([report], "rejects.jsonl")
        1
    """
    path = Path(path)
    if path.is_dir() or not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: not a file in a folder that exists. Choose another name for the rejects.")
    if any(path.exists() and Path(report.path).exists() and path.samefile(report.path) for report in reports):
        raise ValueError(f"Rejects must not replace the data: received {path} for both. Choose another name.")
    lines = [
        json.dumps({"file": report.path, "reason": reason, "message": message}, ensure_ascii=False)
        for report in reports
        for reason, message in report.rejected
    ]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8", errors="backslashreplace", newline="\n")
    return len(lines)
