"""Pictures need matplotlib, an extra; one place asks for it."""


def new_figure(width: float, height: float):
    """An empty matplotlib `Figure` of so many inches, which needs no display.

    Raises:
        ImportError: Without matplotlib, with the line that installs it.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("A picture needs matplotlib: it is not installed. pip install 'keras-absa[plot]'") from error
    return Figure(figsize=(width, height), layout="constrained")
