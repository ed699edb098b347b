import subprocess
import sys
from dataclasses import replace

import pytest

from keras_absa.data.aspect_example import AspectExample
from keras_absa.data.aspect_task import AspectTask
from keras_absa.data.splits import check_groups, grouped_holdout

SHOP = AspectTask("shop", aspects=("price", "staff"), labels=("bad", "good"))


def rows_of(*names):
    return [
        AspectExample(f"Text {name}.", aspect, "good", id=name, source=f"shop.csv:{name}")
        for name in names
        for aspect in SHOP.aspects
    ]


ROWS = rows_of(*map(str, range(50)))


class TestGroupedHoldout:
    def test_texts_stay_whole_and_nothing_is_lost(self):
        train, heldout = grouped_holdout(ROWS, 0.2)
        assert (len(train), len(heldout)) == (80, 20)
        assert not {row.id for row in train} & {row.id for row in heldout}
        assert sorted(train + heldout, key=ROWS.index) == ROWS
        assert train == sorted(train, key=ROWS.index) and heldout == sorted(heldout, key=ROWS.index)

    def test_seed(self):
        assert grouped_holdout(ROWS, seed=3) == grouped_holdout(ROWS, seed=3)
        assert grouped_holdout(ROWS, seed=3) != grouped_holdout(ROWS, seed=4)

    def test_choice_does_not_depend_on_the_order_of_the_rows(self):
        first, second = (grouped_holdout(rows, seed=3)[1] for rows in (ROWS, ROWS[::-1]))
        assert {row.id for row in first} == {row.id for row in second}

    @pytest.mark.parametrize("hash_seed", ["0", "1"])
    def test_choice_does_not_depend_on_the_hash_seed(self, hash_seed):
        # The modules are run by their files: importing the package would load TensorFlow for nothing.
        code = (
            "import importlib.util, sys, types\n"
            "for name in ('keras_absa', 'keras_absa.data'): sys.modules[name] = types.ModuleType(name)\n"
            "for name in ('aspect_example', 'aspect_task', 'splits'):\n"
            f"    path = {_folder()!r} + name + '.py'\n"
            "    spec = importlib.util.spec_from_file_location('keras_absa.data.' + name, path)\n"
            "    module = importlib.util.module_from_spec(spec)\n"
            "    sys.modules[spec.name] = module\n"
            "    spec.loader.exec_module(module)\n"
            "Example = sys.modules['keras_absa.data.aspect_example'].AspectExample\n"
            "rows = [Example(f'Text {n}.', a, 'good', id=str(n)) for n in range(50) for a in ('price', 'staff')]\n"
            "print(*[row.id for row in module.grouped_holdout(rows, 0.2)[1][::2]])\n"
        )
        environment = {"PYTHONHASHSEED": hash_seed}
        output = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        assert output.stdout.split() == [row.id for row in grouped_holdout(ROWS, 0.2)[1][::2]]

    def test_equal_texts_with_different_ids_stay_together(self):
        rows = [
            replace(row, text=f" text  {int(row.id) // 2}. ".upper() if n % 4 else f"Text {int(row.id) // 2}.")
            for n, row in enumerate(ROWS)
        ]
        train, heldout = grouped_holdout(rows, 0.3)
        assert not {int(row.id) // 2 for row in train} & {int(row.id) // 2 for row in heldout}

    def test_one_id_with_several_texts_stays_together(self):
        rows = [replace(row, text=f"{row.aspect} {row.id}") for row in ROWS]
        train, heldout = grouped_holdout(rows, 0.31)
        assert len(heldout) == 32 and not {row.id for row in train} & {row.id for row in heldout}

    def test_rows_without_ids_go_by_text(self):
        train, heldout = grouped_holdout([replace(row, id="") for row in ROWS], 0.1)
        assert len(heldout) == 10 and not {row.text for row in train} & {row.text for row in heldout}

    def test_both_sides_get_a_text(self):
        assert [len(part) for part in grouped_holdout(rows_of("1", "2"), 0.01)] == [2, 2]
        assert [len(part) for part in grouped_holdout(rows_of("1", "2"), 0.99)] == [2, 2]

    @pytest.mark.parametrize("fraction", [0, 1, -0.5, 2])
    def test_wrong_fraction(self, fraction):
        with pytest.raises(ValueError, match="`fraction` must be between 0 and 1: received"):
            grouped_holdout(ROWS, fraction)

    def test_one_text(self):
        with pytest.raises(ValueError, match="at least two texts: received 1"):
            grouped_holdout(rows_of("1"))


class TestCheckGroups:
    def test_complete(self):
        check_groups(ROWS, SHOP)
        check_groups([], SHOP)
        check_groups([replace(row, split=split) for split in ("train", "dev") for row in ROWS], SHOP)

    @pytest.mark.parametrize(
        "places, message",
        [
            ([1, 0, 2, 3], "shop.csv:1 .*received aspect 'staff' as row 1 of its group, expected 'price'"),
            ([0, 0, 1, 2, 3], "shop.csv:1 .*received aspect 'price' as row 2 of its group, expected 'staff'"),
            ([0, 1, 2, 3, 3], "shop.csv:2 .*received aspect 'staff' as row 3 of its group, expected 'no further row'"),
            ([0, 1, 2], "shop.csv:2 .*the group ends after 1 of 2 aspects, expected 'staff' next"),
        ],
    )
    def test_row_out_of_place(self, places, message):
        rows = rows_of("1", "2")
        with pytest.raises(ValueError, match=message):
            check_groups([rows[place] for place in places], SHOP)

    def test_targets_are_groups_of_their_own(self):
        rows = [replace(row, target=target) for target in ("Elm", "Oak") for row in rows_of("1")]
        check_groups(rows, SHOP)
        with pytest.raises(ValueError, match="target 'Oak'"):
            check_groups(rows[:3], SHOP)


def _folder():
    return sys.modules["keras_absa.data.splits"].__file__.removesuffix("splits.py")
