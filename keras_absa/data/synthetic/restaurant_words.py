"""Words and templates of the restaurant reviews."""

from keras_absa.data.synthetic.grammar import AspectWords, Templates, Vocabulary, nouns, words

# Adjectives that go with every aspect: only the noun beside them tells what is praised.
GOOD = words("good, great, wonderful, excellent, fantastic, amazing, brilliant, perfect")
BAD = words("bad, terrible, awful, disappointing, dreadful, horrible, appalling, shocking")

# A predicate's `{adj}` has the polarity of the whole, its `{flip}` the opposite one.
PREDICATES = (
    "{be} {adj}",
    "{be} really {adj}",
    "{be} truly {adj}",
    "{be} simply {adj}",
    "+{be} not {flip} at all",
    "+{be}n't {flip} at all",
    "+{be} not the least bit {flip}",
    "-{be} not {flip}",
    "-{be}n't {flip}",
    "-{be} not {flip} at all",
    "{be} anything but {flip}",
    "{be} far from {flip}",
)

FOOD = nouns(
    "the food, the pasta, the soup, the dessert, the pizza, the steak, the fish, the salad, the curry, the bread",
    "the starters, the desserts, the noodles, the dumplings, the burgers",
)
SERVICE = nouns("the service, the waiter, the waitress, the host, the bartender", "the staff, the waiters, the servers")
PRICE = nouns("the price, the bill, the pricing, the final bill", "the prices, the drinks prices")
AMBIENCE = nouns("the ambience, the atmosphere, the dining room, the setting, the interior, the decor, the room")

VOCABULARY = Vocabulary(
    aspects={
        "food": AspectWords(
            nouns=FOOD,
            general_nouns=FOOD + nouns("the menu, the wine list, the coffee, the cooking"),
            good=words("delicious, tasty, flavourful, mouth-watering, appetising, lovely, superb"),
            bad=words("bland, tasteless, inedible, flavourless, unappetising, mediocre, poor"),
            phrases=(
                "+tasted {adj}",
                "+had plenty of flavour",
                "+had us coming back for more",
                "+did not taste {flip} at all",
                "-tasted {adj}",
                "-had no flavour at all",
                "-tasted of nothing",
                "-did not taste {flip}",
            ),
        ),
        "service": AspectWords(
            nouns=SERVICE,
            general_nouns=SERVICE + nouns("the table service, the team"),
            good=words("friendly, attentive, polite, helpful, welcoming, lovely, superb"),
            bad=words("rude, careless, impatient, unfriendly, inattentive, unhelpful, poor"),
            phrases=(
                "+made us feel welcome",
                "+could not have been more {adj}",
                "+{be} never {flip}",
                "+never kept us waiting",
                "-made us feel unwelcome",
                "-could not have been less {flip}",
                "-{be} never {flip}",
                "-kept us waiting for an hour",
            ),
        ),
        "price": AspectWords(
            nouns=PRICE,
            general_nouns=PRICE + nouns("the value for money, the lunch deal"),
            good=words("reasonable, fair, affordable, sensible, modest"),
            bad=words("steep, outrageous, excessive, unreasonable, extortionate"),
            phrases=(
                "+suited our budget",
                "+{be} lower than we had feared",
                "+never felt like a rip-off",
                "-did not suit our budget",
                "-{be} far higher than we had feared",
                "-felt like a rip-off",
                "-made our eyes water",
            ),
        ),
        "ambience": AspectWords(
            nouns=AMBIENCE,
            general_nouns=AMBIENCE + nouns("the music, the lighting, the view, the terrace"),
            good=words("cosy, charming, relaxing, inviting, pleasant, lovely"),
            bad=words("gloomy, drab, dreary, uninviting, unpleasant, dull"),
            phrases=(
                "+put us in a good mood",
                "+made us want to stay all night",
                "+helped us unwind",
                "-put us in a bad mood",
                "-made us want to leave",
                "-did not help us unwind",
            ),
        ),
    },
    good=GOOD,
    bad=BAD,
    phrases=(
        "+exceeded our expectations",
        "+won us over",
        "+did not let us down",
        "+left nothing to be desired",
        "+could not have been better",
        "+did not disappoint",
        "-fell short of our expectations",
        "-did not win us over",
        "-let us down",
        "-left a lot to be desired",
        "-could not have been worse",
        "-disappointed us",
    ),
    predicates=PREDICATES,
    be=("was", "were"),
    articles=("the", "the", "the", "the", "their"),
)

TRAIN = Templates(
    clauses=(
        "{np} {vp}",
        "we thought {np} {vp}",
        "I found {np} {adj}",
        "there was nothing {flip} about {np}",
        "+we loved {np}",
        "+we had no complaints about {np}",
        "+we were impressed by {np}",
        "-we hated {np}",
        "-we had plenty of complaints about {np}",
        "-we were not impressed by {np}",
    ),
    singles=(
        "{adj} {noun}!",
        "how {adj} {np} {be}!",
        "+thumbs up for {np}",
        "-shame about {np}",
        "what can I say, {np} {vp}",
    ),
    contrast=(
        "{c1}, but {c2}",
        "{c1} but {c2}",
        "although {c1}, {c2}",
        "while {c1}, {c2}",
        "+{c1}, but sadly {c2}",
        "-{c1}, but luckily {c2}",
        "{np1} {be1} {adj1}, unlike {np2}",
        "unlike {np2}, {np1} {vp1}",
        "{adj1} {noun1}, {adj2} {noun2}",
        "{adj1} {noun1} but {adj2} {noun2}",
        "{np1} {be1} as {adj1} as {np2} {be2} {adj2}",
    ),
    agree=(
        "{c1} and {c2}",
        "{c1}, and {c2}",
        "{np1} and {np2} were both {adj1}",
        "neither {np1} nor {np2} {be2} {flip1}",
        "{adj1} {noun1} and {adj2} {noun2}",
        "{c1}. besides, {c2}",
    ),
    triples=("{c1}, {c2} and {c3}", "{adj1} {noun1}, {adj2} {noun2}, {adj3} {noun3}"),
    fillers=(
        "we went there on a Friday",
        "it was my sister's birthday",
        "we had booked a week ahead",
        "there were six of us",
        "the place is right next to the station",
        "I had read about it in a magazine",
        "the weather was terrible that day",
        "the traffic on the way was awful",
        "we had just seen a wonderful film",
        "my friend had great news that night",
        "my phone was not good for much that day",
    ),
)

DEV = Templates(
    clauses=(
        "I felt {np} {vp}",
        "I must say {np} {vp}",
        "to be honest, {np} {vp}",
        "in my opinion {np} {vp}",
        "my friends found {np} {adj}",
        "nobody could call {np} {flip}",
        "+everyone was happy with {np}",
        "+I could not fault {np}",
        "-nobody was happy with {np}",
        "-I was let down by {np}",
    ),
    singles=("{np}: {adj}", "+five stars for {np}", "-no stars for {np}", "let me tell you, {np} {vp}"),
    contrast=(
        "{c1}, yet {c2}",
        "{c1}. {c2}, though",
        "even though {c1}, {c2}",
        "+{np1} {vp1}, which is more than I can say for {np2}",
        "{c1}, and yet {c2}",
        "{adj1} {noun1}, yet {adj2} {noun2}",
    ),
    agree=(
        "{c1}, plus {c2}",
        "{c1}. also, {c2}",
        "{np1} {vp1}, just like {np2}",
        "there was nothing {flip1} about {np1} or {np2}",
        "{adj1} {noun1} plus {adj2} {noun2}",
    ),
    triples=("{c1}; {c2}; {c3}",),
    fillers=(
        "my parents took me there last month",
        "we walked in after the theatre",
        "it is near the town hall",
        "we met two old friends at the door",
        "my train home was dreadful",
        "the concert before that was excellent",
        "we stayed until ten",
    ),
)

TEST = Templates(
    clauses=(
        "we felt that {np} {vp}",
        "it seemed to us that {np} {vp}",
        "my family agreed that {np} {vp}",
        "if you ask me, {np} {vp}",
        "we considered {np} {adj}",
        "nobody at our table thought {np} {be} {flip}",
        "+I was delighted with {np}",
        "+nobody could complain about {np}",
        "-I was far from delighted with {np}",
        "-I have only bad things to say about {np}",
    ),
    singles=(
        "one word for {np}: {adj}",
        "+hats off, {np} {vp}",
        "-oh dear, {np} {vp}",
        "all I want to say is that {np} {vp}",
    ),
    contrast=(
        "{c1}, whereas {c2}",
        "{c1}, though {c2}",
        "{c1}. on the other hand, {c2}",
        "{c1}. however, {c2}",
        "in contrast to {np2}, {np1} {vp1}",
        "+if only {np2} had been as {adj1} as {np1}",
    ),
    agree=(
        "{c1}, and on top of that {c2}",
        "{c1}. the same goes for {np2}",
        "{np1} {be1} {adj1}, and so {be2} {np2}",
        "{c1}. what is more, {c2}",
    ),
    triples=("first, {c1}; second, {c2}; third, {c3}",),
    fillers=(
        "our hotel had sent us there",
        "this was our second visit",
        "we were in town for a wedding",
        "it rained the whole time, which was horrible",
        "we had spent a fantastic day at the beach",
        "they open at noon",
        "my cousin joined us later",
    ),
)

TEMPLATES = {"train": TRAIN, "dev": DEV, "test": TEST}
