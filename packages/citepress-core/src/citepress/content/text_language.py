"""The language of a text by its script and its most frequent words: bounded, without a model, the same every time."""
# ruff: noqa: RUF001  (letters of many scripts)

import re
from bisect import bisect_right
from collections import Counter

from citepress.base.languages import is_in

MAX_SAMPLE_CHARS = 3_000
MIN_WORDS = 12
"""Words below which those of a text say nothing of its language."""
MIN_SHARE, MIN_LEAD = 0.12, 1.25
"""What part of a text the frequent words of its language are, and how often they are those of the next language."""
MIN_SCRIPT_SHARE = 0.3
"""What part of a text a script has whose language the text is in: names and code in Latin letters are in every one."""
_NO_PROSE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|\]\([^()\n]*\)|https?://\S+|<[^<>]*>", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_RANGES = (
    (0x0370, 0x03FF, "el"),
    (0x0400, 0x052F, "Cyrl"),
    (0x0530, 0x058F, "hy"),
    (0x0590, 0x05FF, "he"),
    (0x0600, 0x06FF, "Arab"),
    (0x0750, 0x077F, "Arab"),
    (0x0900, 0x097F, "Deva"),
    (0x0980, 0x09FF, "bn"),
    (0x0A00, 0x0A7F, "pa"),
    (0x0A80, 0x0AFF, "gu"),
    (0x0B80, 0x0BFF, "ta"),
    (0x0C00, 0x0C7F, "te"),
    (0x0C80, 0x0CFF, "kn"),
    (0x0D00, 0x0D7F, "ml"),
    (0x0D80, 0x0DFF, "si"),
    (0x0E00, 0x0E7F, "th"),
    (0x0E80, 0x0EFF, "lo"),
    (0x1000, 0x109F, "my"),
    (0x10A0, 0x10FF, "ka"),
    (0x1100, 0x11FF, "ko"),
    (0x1200, 0x137F, "am"),
    (0x1780, 0x17FF, "km"),
    (0x3040, 0x30FF, "ja"),
    (0x3400, 0x4DBF, "Hani"),
    (0x4E00, 0x9FFF, "Hani"),
    (0xAC00, 0xD7AF, "ko"),
)
"""First and last letter of a script, and the one language that is written in it, or the script (Unicode blocks)."""
_STARTS = [first for first, _, _ in _RANGES]
_WEIGHTS = {"Hani": 3, "ja": 2, "ko": 2}
"""One character of these says as much as so many letters."""
FREQUENT = {
    "en": "the of and a to in is that for it with as was on are this be by from not you have which or an we can",
    "de": "der die das und ist nicht ein eine zu den mit von auf für im dem sich auch wie es wird sind oder ich wir",
    "fr": "le la les des et est une un du dans que qui pour pas sur au avec ce il nous vous plus sont par je mais",
    "es": "el la los las de que y en un una es por con para del se no lo como más su al pero está son o",
    "pt": "o a os as de que e em um uma é por com para do da não se no na mais como dos mas foi são ao",
    "it": "il la di che e un una per con non del della sono è le in si da come più al dei anche lo ma gli nel",
    "nl": "de het een van en is dat op te in voor niet met zijn aan er ook als maar om wordt bij naar dit je ik",
    "sv": "och att det som en är på för med av till inte den har jag ett om kan men från eller vi så var",
    "da": "og at det er en til på for med af ikke den har jeg et som kan fra de der vi eller men så blev hvad",
    "nb": "og at det er en til på for med av ikke den har jeg et som kan fra de vi eller men så ble hva noe",
    "fi": "ja on ei että se oli ovat myös kun mutta joka tai niin hän kuin ole sen voi tämä mitä jos minä",
    "pl": "i w na z nie się do jest to że o jak ale po co za od dla tak przez są czy tylko jego może być",
    "cs": "a se na je v že to s z do o ale jako jsem který pro byl by už jsou tak po co nebo však při jeho",
    "sk": "a sa na je v že to s z do o ale ako som ktorý pre bol by už sú tak po čo alebo však pri jeho",
    "hu": "a az és hogy nem is egy ez van volt de meg csak ha mint már vagy még azt kell lehet ami el majd",
    "ro": "și de la în a cu nu este pe un o care mai să pentru din ce sunt dar au fost ca prin al sau cum",
    "tr": "ve bir bu da de için ile çok ne ama gibi daha olarak olan var mı ben o kadar sonra en değil her",
    "id": "yang dan di dengan untuk dari ini itu tidak dalam ke pada adalah akan atau juga saya bisa ada kita",
    "vi": "là và của các có được cho không trong một này với người những để khi đã tôi như từ đến cũng bạn về",
    "ca": "el la els les de que i en un una és per amb no del al com més ho aquest però són dels pel va",
    "ru": "и в не на что с по как это а из но для от за он так или все у же бы мы вы я к его было",
    "uk": "і в не на що з та як це а для від за він або до є у й його було ми ви про я також якщо",
    "bg": "и на в не се да за от с е че по са как но до ще като или си това което може при беше аз",
    "sr": "и у је да се на за од са не као су што то али или који би ће до из по смо сам може када",
    "ar": "في من على إلى أن هذا هذه التي الذي عن مع كان لا ما أو كل بعد هو هي ذلك قد لم بين حتى",
    "fa": "از به که این است با در را برای آن یک می هم تا خود های شده اما بر ها بود کرد یا شود هر",
    "ur": "ہے کے میں کی اور سے کا کو یہ نے پر ہیں اس کہ بھی نہیں ایک تھا جو ہو گیا کر وہ لیے",
    "hi": "है के में की और से का को यह ने पर हैं इस कि भी नहीं एक था जो हो गया कर वह लिए",
    "mr": "आहे आणि या की तर ते हे मध्ये नाही होते त्या एक पण केली असे आहेत वर ही होता मी",
    "ne": "छ र को मा हो पनि यो छन् गर्न भने तर गरेको नेपाल का लागि एक गर्ने भएको हुन्छ",
}
"""The most frequent words of each language."""
_LANGUAGES: dict[str, list[str]] = {}
for _language, _words in FREQUENT.items():
    for _word in _words.split():
        _LANGUAGES.setdefault(_word, []).append(_language)
_IN_SCRIPT = {
    "Cyrl": (("uk", "їєґ"), ("sr", "јљњћђ"), ("be", "ў"), ("mk", "ѓќѕ"), ("ru", "ыэё")),
    "Arab": (("ur", "ٹڈڑں"), ("fa", "پچژگ")),
}
"""Letters that one language of a script has alone."""
OTHER_SCRIPTS = chr(_STARTS[0])
"""Letters from here on are none of Latin."""
LATIN_DEFAULT = "en"
"""What a text is taken for whose few words are Latin in a publication in another script."""
OTHER_SCRIPT = {
    "zh",
    *(name for _, _, name in _RANGES if name.islower()),
    *(language for language, frequent in FREQUENT.items() if frequent[0] >= OTHER_SCRIPTS),
} - {"sr"}
"""Languages that are never written in Latin letters."""
_DEFAULTS = {"Hani": "zh", "Cyrl": "ru", "Arab": "ar", "Deva": "hi"}


def guess_language(text: str) -> str:
    """The language of a text as its tag; empty where its script and words do not tell."""
    sample = _NO_PROSE.sub(" ", text[:MAX_SAMPLE_CHARS])
    script = "" if sample.isascii() else _script(sample)
    if script and script not in _DEFAULTS:
        return script
    if script == "Hani":
        return _DEFAULTS[script]
    by_words = _by_words(sample.lower())
    if not script:
        return by_words
    if by_words and _script(FREQUENT[by_words]) == script:
        return by_words
    counts = Counter(sample.lower())
    own = ((sum(counts[char] for char in letters), language) for language, letters in _IN_SCRIPT.get(script, ()))
    most, language = max(own, default=(0, ""))
    return language if most else _DEFAULTS[script]


def _script(sample: str) -> str:
    """The script of a text, or the language that is the only one in it; empty for Latin letters."""
    weights: Counter[str] = Counter()
    for char, count in Counter(sample).items():
        if not char.isalpha():
            continue
        code = ord(char)
        place = bisect_right(_STARTS, code) - 1
        name = _RANGES[place][2] if place >= 0 and code <= _RANGES[place][1] else ""
        weights[name] += count * _WEIGHTS.get(name, 1)
    total = weights.total()
    if weights["ja"] and weights["ja"] * 10 > weights["Hani"]:
        weights["ja"] += weights.pop("Hani", 0)
    others = [(weight, name) for name, weight in weights.items() if name]
    weight, name = max(others, default=(0, ""))
    return name if total and weight >= total * MIN_SCRIPT_SHARE else ""


def _by_words(sample: str) -> str:
    words = _WORD.findall(sample)
    total = len(words)
    if total < MIN_WORDS:
        return ""
    # Every record of an archive comes here: a loop without calls takes a tenth of what counters take.
    scores = dict.fromkeys(FREQUENT, 0)
    for word in words:
        if word in _LANGUAGES:
            for language in _LANGUAGES[word]:
                scores[language] += 1
    first, best, second = "", 0, 0
    for language in FREQUENT:
        if scores[language] > best:
            first, best, second = language, scores[language], best
        elif scores[language] > second:
            second = scores[language]
    return first if best >= total * MIN_SHARE and best >= second * MIN_LEAD else ""


def _is_latin(text: str) -> bool:
    """Whether a text has letters, all of them Latin."""
    letters = [char for char in text[:MAX_SAMPLE_CHARS] if char.isalpha()]
    return bool(letters) and max(letters) < OTHER_SCRIPTS


def language_beside(text: str, usual: str) -> str:
    """The language of a text that says none in a publication in the ``usual`` one, which it has unless it tells.

    A language that no words tell apart looks like its neighbours: only another script says that a text is not in it.
    """
    guess = guess_language(text)
    # Most records come here with a language of Latin letters, for which nothing is called.
    if not guess and usual[:2] in OTHER_SCRIPT and usual[2:3] in {"", "-"} and _is_latin(text):
        return LATIN_DEFAULT
    if not guess or guess == usual or is_in(usual, guess):
        return usual
    told_apart = usual.partition("-")[0].lower() in FREQUENT
    return guess if told_apart or _script(FREQUENT.get(guess, "")) or guess not in FREQUENT else usual
