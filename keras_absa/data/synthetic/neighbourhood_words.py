"""Words and templates of the neighbourhood reviews; the places keep SentiHood's placeholders."""

from keras_absa.data.synthetic.grammar import AspectWords, Templates, Vocabulary, nouns, words
from keras_absa.data.synthetic.restaurant_words import BAD, GOOD, PREDICATES

PLACE = nouns("{place}")

VOCABULARY = Vocabulary(
    aspects={
        "general": AspectWords(
            nouns=PLACE,
            general_nouns=PLACE + PLACE + nouns("life in {place}, the whole feel of {place}"),
            good=words("lively, charming, pleasant, lovely, beautiful, interesting"),
            bad=words("dull, ugly, grim, depressing, boring, run-down"),
            phrases=(
                "+has a lot of character",
                "+feels like home",
                "+has everything one could want",
                "-has no character at all",
                "-does not feel like home",
                "-has nothing one could want",
            ),
        ),
        "price": AspectWords(
            nouns=PLACE,
            general_nouns=nouns(
                "the cost of living in {place}, the price of a flat in {place}",
                "the rents in {place}, the house prices in {place}, property prices in {place}",
            ),
            good=words("cheap, affordable, good value, reasonably priced, easy on the wallet"),
            bad=words("expensive, overpriced, pricey, unaffordable, hard on the wallet"),
            phrases=(
                "+is well within our budget",
                "+gives you a lot for your money",
                "+does not cost a fortune",
                "-is not within our budget",
                "-gives you very little for your money",
                "-costs a fortune",
            ),
        ),
        "safety": AspectWords(
            nouns=PLACE,
            general_nouns=nouns(
                "safety in {place}, the safety record of {place}, street safety in {place}, security in {place}"
            ),
            good=words("safe, secure, safe at night, well policed"),
            bad=words("dangerous, unsafe, dangerous at night, crime-ridden"),
            phrases=(
                "+has very little crime",
                "+does not have a problem with muggings",
                "+is no place to worry about burglars",
                "-has a lot of crime",
                "-has a problem with muggings",
                "-is no place to walk alone after dark",
            ),
        ),
        "transit-location": AspectWords(
            nouns=PLACE,
            general_nouns=nouns(
                "the bus service in {place}, the tube service in {place}, the commute from {place}",
                "the transport links in {place}, the train connections in {place}",
            ),
            good=words("well connected, easy to reach, handy for the tube, close to the centre"),
            bad=words("poorly connected, hard to reach, badly served by buses, cut off"),
            phrases=(
                "+has plenty of buses and trains",
                "+is only minutes from the tube",
                "+does not lack buses",
                "-has hardly any buses or trains",
                "-is miles from the nearest tube station",
                "-lacks buses",
            ),
        ),
    },
    good=GOOD,
    bad=BAD,
    phrases=(
        "+{be} hard to beat",
        "+leave{s} nothing to be desired",
        "+could not be better",
        "+{be} a real plus",
        "-{be} a real problem",
        "-leave{s} a lot to be desired",
        "-could not be worse",
        "-{be} nothing to write home about",
    ),
    predicates=PREDICATES,
    be=("is", "are"),
)

TRAIN = Templates(
    clauses=(
        "{np} {vp}",
        "I think {np} {vp}",
        "I find {np} {adj}",
        "there is nothing {flip} about {np}",
        "+I love {np}",
        "+I have no complaints about {np}",
        "-I hate {np}",
        "-I have plenty of complaints about {np}",
    ),
    singles=("+thumbs up for {np}", "-shame about {np}", "what can I say, {np} {vp}"),
    contrast=(
        "{c1}, but {c2}",
        "{c1} but {c2}",
        "although {c1}, {c2}",
        "while {c1}, {c2}",
        "+{c1}, but sadly {c2}",
        "-{c1}, but luckily {c2}",
        "{np1} {be1} {adj1}, unlike {np2}",
        "{np1} {be1} as {adj1} as {np2} {be2} {adj2}",
    ),
    agree=(
        "{c1} and {c2}",
        "{c1}, and {c2}",
        "{np1} and {np2} are both {adj1}",
        "neither {np1} nor {np2} {be2} {flip1}",
        "{c1}. besides, {c2}",
    ),
    triples=("{c1}, {c2} and {c3}",),
    opposed=(
        "{place1} is {adj1}, unlike {place2}",
        "unlike {place2}, {place1} is {adj1}",
        "{place1} is {adj1} but {place2} is not",
        "{place1} is {adj1} but {place2} is {adj2}",
        "{place1} is as {adj1} as {place2} is {adj2}",
    ),
    alike=(
        "both {place1} and {place2} are {adj1}",
        "neither {place1} nor {place2} is {flip1}",
        "{place1} is {adj1} and so is {place2}",
    ),
    fillers=(
        "we are looking for a two-bedroom flat",
        "I start a new job in May",
        "does anyone have any advice?",
        "we have two small children",
        "the weather has been terrible all week",
        "my new colleagues are wonderful",
        "I am moving in the summer",
    ),
    place_fillers=("I have lived in {place} for two years", "my brother has a flat in {place}", "we looked at {place}"),
    two_place_fillers=(
        "we moved from {other} to {place} last year",
        "my sister lives in {place} and my brother in {other}",
        "we looked at {place} and {other}",
    ),
)

DEV = Templates(
    clauses=(
        "I feel {np} {vp}",
        "I must say {np} {vp}",
        "to be honest, {np} {vp}",
        "in my opinion {np} {vp}",
        "my friends find {np} {adj}",
        "nobody could call {np} {flip}",
        "+everyone is happy with {np}",
        "-nobody is happy with {np}",
    ),
    singles=("+five stars for {np}", "-no stars for {np}", "let me tell you, {np} {vp}"),
    contrast=(
        "{c1}, yet {c2}",
        "{c1}. {c2}, though",
        "even though {c1}, {c2}",
        "+{np1} {vp1}, which is more than I can say for {np2}",
    ),
    agree=(
        "{c1}, plus {c2}",
        "{c1}. also, {c2}",
        "{np1} {vp1}, just like {np2}",
        "there is nothing {flip1} about {np1} or {np2}",
    ),
    triples=("{c1}; {c2}; {c3}",),
    opposed=("{place1} is {adj1}; {place2} is the opposite", "{place1} is {adj1}, yet {place2} is anything but"),
    alike=("{place1} is {adj1}, just like {place2}", "{place1} and {place2} are equally {adj1}"),
    fillers=(
        "my contract ends in the autumn",
        "thanks for your help so far",
        "I grew up in a village",
        "my landlord has been dreadful lately",
        "our dog is a perfect angel",
    ),
    place_fillers=("I visited {place} last weekend", "a friend told me about {place}"),
    two_place_fillers=("I used to live in {other} and now I live in {place}", "we visited both {place} and {other}"),
)

TEST = Templates(
    clauses=(
        "we feel that {np} {vp}",
        "it seems to me that {np} {vp}",
        "my family agrees that {np} {vp}",
        "if you ask me, {np} {vp}",
        "we consider {np} {adj}",
        "nobody I know thinks {np} {be} {flip}",
        "+nobody could complain about {np}",
        "-I have only bad things to say about {np}",
    ),
    singles=("+hats off, {np} {vp}", "-oh dear, {np} {vp}", "all I want to say is that {np} {vp}"),
    contrast=(
        "{c1}, whereas {c2}",
        "{c1}, though {c2}",
        "{c1}. on the other hand, {c2}",
        "in contrast to {np2}, {np1} {vp1}",
    ),
    agree=(
        "{c1}, and on top of that {c2}",
        "{c1}. the same goes for {np2}",
        "{np1} {be1} {adj1}, and so {be2} {np2}",
        "{c1}. what is more, {c2}",
    ),
    triples=("first, {c1}; second, {c2}; third, {c3}",),
    opposed=(
        "{place1} is {adj1}, which cannot be said of {place2}",
        "{place2} is nowhere near as {adj1} as {place1}",
        "in contrast to {place2}, {place1} is {adj1}",
    ),
    alike=("{place1} is {adj1}, and {place2} is no different", "I would not call {place1} or {place2} {flip1}"),
    fillers=(
        "this is my first post here",
        "I work from home on Mondays",
        "our furniture arrives next week",
        "the job market is awful at the moment",
        "my flatmates are fantastic",
    ),
    place_fillers=("my office is moving to {place}", "I spent a month in {place}"),
    two_place_fillers=("we cannot decide between {place} and {other}", "I know {place} and {other} from my studies"),
)

TEMPLATES = {"train": TRAIN, "dev": DEV, "test": TEST}
