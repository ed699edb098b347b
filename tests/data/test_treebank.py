"""The SentiHood cleaning, on sentences whose tokens one can check by eye; whole files in test_published_pairs.py."""

import pytest

from keras_absa.data.treebank import treebank_clean


@pytest.mark.parametrize(
    "text, cleaned",
    [
        ("  Rents in LOCATION1   fell ", "rents in location - 1 fell"),
        ("LOCATION1/LOCATION2 or LOCATION2", "location1/location2 or location - 2"),
        ("Walk 'LOCATION1 way", "walk ' location1 way"),
        ("It's dear, isn't it", "it ' s dear , is n't it"),
        ("We'll stay, they've left, I'd go", "we ' ll stay , they ' ve left , i ' d go"),
        ("I cannot go, wanna swap?", "i can not go , wan na swap ?"),
        ("'Twas the owners' cat", "' t was the owners '  cat"),
        ('She said "no way" twice', "she said `` no way ' ' twice"),
        ("so ''grim'' a street", "so `` grim ' ' a street"),
        ("'' grim", "' ' grim"),
        ("Open 9:30, close late: maybe", "open 9:30 , close late : maybe"),
        ("One stop. Two stops.", "one stop . two stops ."),
        ("Near no. 7 (see map).", "near no . 7 ( see map ) ."),
        ("Shops,bars and 5,000 cats", "shops , bars and 5,000 cats"),
        ("Hmm... well -- fine!", "hmm ... well -- fine !"),
        ("Flats & £900 @ no.9", "flats & £900 @ no.9"),
        ("Didn'r look", "didn '  r look"),
        ("all the dogs'", "all the dogs ' "),
        ("", ""),
    ],
)
def test_tokens(text, cleaned):
    assert treebank_clean(text) == cleaned
