"""Texts in many languages."""
# ruff: noqa: RUF001  (texts in other alphabets)

ENGLISH = (
    "This is a note about the way that we write software and what it means for people who have to read it later.\n"
)
GERMAN = (
    "Das ist ein Text über die Stadt und wie sich das Wasser in ihr bewegt, wenn es nicht regnet und niemand da ist.\n"
)
ARABIC = "هذا نص عن المدينة وعن الطريقة التي يعيش بها الناس في الشوارع\n"
CHINESE = "这是一篇关于城市的文章，讲述人们如何在街道上生活。使用 Docker 和 Kubernetes 部署。\n"
TEXTS = {
    "en": ENGLISH,
    "de": GERMAN,
    "ar": ARABIC,
    "zh": CHINESE,
    "fr": "Ceci est un texte sur la ville et sur la façon dont les gens vivent dans les rues, avec des amis.",
    "es": "Este es un texto sobre la ciudad y la forma en que las personas viven en las calles, con los amigos.",
    "pt": "Este é um texto sobre a cidade e a forma como as pessoas vivem nas ruas, e que não estão em casa.",
    "it": "Questo è un testo sulla città e sul modo in cui le persone vivono nelle strade, con gli amici che non.",
    "nl": "Dit is een tekst over de stad en de manier waarop mensen in de straten leven, met vrienden die er zijn.",
    "sv": "Det här är en text om staden och hur människor lever på gatorna, med vänner som inte är hemma.",
    "tr": "Bu bir şehir hakkında yazı ve insanların sokaklarda nasıl yaşadığı ile ilgili, ama çok da uzun değil.",
    "ru": "Это текст о городе и о том, как люди живут на улицах, с друзьями, которых нет дома.",
    "uk": "Це текст про місто і про те, як люди живуть на вулицях, з друзями, яких немає вдома.",
    "fa": "این یک متن درباره شهر است و اینکه مردم چگونه در خیابان‌ها زندگی می‌کنند",
    "ja": "これは都市についての文章です。人々がどのように暮らしているか。",
    "ko": "이것은 도시에 관한 글이며 사람들이 어떻게 사는지에 대한 것입니다.",
    "he": "זה טקסט על העיר",
    "el": "Αυτό είναι ένα κείμενο",
    "hi": "यह शहर के बारे में एक लेख है और लोग कैसे रहते हैं",
}
