"""Words and sentences of a text: which come often, which run long, which begin alike. It knows no tool and no file."""

import re
from collections import Counter
from dataclasses import asdict, dataclass, field

# Words that hold sentences together; nobody notices how often they come.
COMMON = frozenset(
    "a about after again all an and any are as at be been before but by can could did do down for from had has have he her here him his "
    "how i if in into is it its like me my no not now of off on one or our out over said she so some than that the their them then there "
    "they this to too up us was we were what when where which who will with would you your".split()
)
# A word counts as frequent from this many times on, and from this share of all words.
OFTEN_TIMES = 4
OFTEN_SHARE = 0.01
# At most so many of each kind are told.
MOST = 8
# Characters of a sentence that are told of it.
SHOWN = 80

WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
SENTENCE = re.compile(r"[^.!?\u2026\n]+[.!?\u2026]*[\"'\u201d\u2019*)]*")


@dataclass
class Findings:
    """What was found in a text."""

    words: int = 0
    sentences: int = 0
    often: list = field(default_factory=list)
    long: list = field(default_factory=list)
    openings: list = field(default_factory=list)

    def as_dict(self):
        """For programs."""
        return asdict(self)

    def words_for(self, path):
        """For the model."""
        lines = [f"{path}: {self.words} words in {self.sentences} sentences."]
        lines += [f"- comes often: {found['word']!r}, {found['times']} times" for found in self.often]
        lines += [f"- runs long ({found['words']} words): {found['begins']}" for found in self.long]
        lines += [f"- {found['times']} sentences in a row begin with {found['word']!r}" for found in self.openings]
        if len(lines) == 1:
            lines.append("Nothing stands out.")
        return "\n".join(lines)


def look_over(text, longest):
    """Everything that stands out in a text; a sentence of more than `longest` words is long."""
    sentences = [found.group().strip() for found in SENTENCE.finditer(text)]
    sentences = [(sentence, WORD.findall(sentence)) for sentence in sentences]
    sentences = [(sentence, words) for sentence, words in sentences if words]
    total = sum(len(words) for _, words in sentences)
    return Findings(
        words=total,
        sentences=len(sentences),
        often=_often([word for _, words in sentences for word in words], total),
        long=_long(sentences, longest),
        openings=_openings([words[0].casefold() for _, words in sentences]),
    )


def _often(words, total):
    counts = Counter(word.casefold() for word in words)
    enough = max(OFTEN_TIMES, total * OFTEN_SHARE)
    often = [(word, times) for word, times in counts.most_common() if times >= enough and word not in COMMON]
    return [{"word": word, "times": times} for word, times in often[:MOST]]


def _long(sentences, longest):
    long = [(len(words), sentence) for sentence, words in sentences if len(words) > longest]
    long.sort(key=lambda found: -found[0])
    return [{"words": count, "begins": sentence[:SHOWN]} for count, sentence in long[:MOST]]


def _openings(firsts):
    """Runs of three and more sentences that begin with the same word."""
    runs = []
    start = 0
    for at in range(1, len(firsts) + 1):
        if at == len(firsts) or firsts[at] != firsts[start]:
            if at - start >= 3:
                runs.append({"word": firsts[start], "times": at - start})
            start = at
    return runs[:MOST]
