"""XML from a file that nobody has checked yet: a small tree with line numbers, and nothing expanded or fetched."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from keras_absa.data.data_error import DataError
from keras_absa.data.problem_log import ProblemLog
from keras_absa.data.source_file import read_bytes

MAX_DEPTH = 32


@dataclass
class Element:
    """One tag: its attributes, where it begins, and what is in it, in order: strings and other elements."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    content: list = field(default_factory=list)

    @property
    def where(self) -> str:
        """`line:column`, for messages."""
        return f"{self.line}:{self.column}"

    def children(self, tag: str) -> Iterator["Element"]:
        """The elements directly inside that have this tag."""
        return (part for part in self.content if isinstance(part, Element) and part.tag == tag)

    def child(self, tag: str) -> "Element | None":
        """The first of `children`, or `None`."""
        return next(self.children(tag), None)

    def text(self) -> str:
        """All characters inside, those of nested tags included."""
        return "".join(part.text() if isinstance(part, Element) else part for part in self.content)

    def markup(self) -> str:
        """The first tag inside, `""` where there are characters only."""
        return next((part.tag for part in self.content if isinstance(part, Element)), "")


def read_xml(path, root: str, log: ProblemLog) -> Element:
    """The root element of a file.

    Args:
        path: The file.
        root: The tag that the root must have.
        log: Where mistakes go; those that this function meets end the reading in either way of handling them.

    Returns:
        The root.

    Raises:
        DataError: If the file is not XML with this root, declares a document type (which can define entities), or nests
            tags deeper than 32.
    """
    return _Parser(root, log).parse(read_bytes(path, log))


def root_tag(path) -> str:
    """The tag that an XML file begins with, `""` where that cannot be told; reads no more than it has to."""
    found = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: found.append(tag)
    with open(path, "rb") as file, contextlib.suppress(expat.ExpatError, LookupError, ValueError):
        while not found and (data := file.read(2**16)):
            parser.Parse(data, False)
    return found[0] if found else ""


class _Parser:
    """Builds the tree from expat's events with a stack of its own, so that deep nesting costs nothing."""

    def __init__(self, root: str, log: ProblemLog):
        self.root_tag, self.log = root, log
        self.root, self.open = None, []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def parse(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            what = f"invalid XML, {expat.ErrorString(error.code)}."
            raise self.log.fatal(f"{error.lineno}:{error.offset + 1}", what) from error
        except DataError:
            raise
        except (LookupError, ValueError) as error:
            # The declaration names an encoding that expat cannot use.
            raise self.log.fatal(self._place(), f"invalid XML, {error}. Save the file as UTF-8.") from error
        return self.root

    def _place(self) -> str:
        return f"{self.parser.CurrentLineNumber}:{self.parser.CurrentColumnNumber + 1}"

    def _refuse_doctype(self, name, *_):
        what = f"document type declaration of {name!r} is not allowed: it can define entities. Remove it."
        raise self.log.fatal(self._place(), what)

    def _start(self, tag, attributes):
        if self.root is None and tag != self.root_tag:
            raise self.log.fatal(self._place(), f"the root is <{tag}>, expected <{self.root_tag}>.")
        if len(self.open) >= MAX_DEPTH:
            raise self.log.fatal(self._place(), f"tags nested deeper than {MAX_DEPTH}.")
        element = Element(tag, attributes, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
        if self.open:
            self.open[-1].content.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag):
        self.open.pop()

    def _characters(self, characters):
        self.open[-1].content.append(characters)
