"""Quick reading of `.keras` files."""

import io


def read_weights_at_once(saving_lib) -> None:
    """Makes `saving_lib` (of tf_keras) take the weights out of a `.keras` file in one piece.

    It lets h5py jump about inside the zip file, which starts from the beginning at each jump backwards: a MiniLM takes two
    minutes to load that way, and a second this way.
    """
    original = getattr(saving_lib, "H5IOStore", None)
    if original is None or getattr(original, "reads_at_once", False):
        return

    class H5IOStore(original):
        reads_at_once = True

        def __init__(self, root_path, archive=None, mode="r"):
            if archive and mode == "r":
                root_path, archive = io.BytesIO(archive.read(root_path)), None
            super().__init__(root_path, archive, mode)

    saving_lib.H5IOStore = H5IOStore
