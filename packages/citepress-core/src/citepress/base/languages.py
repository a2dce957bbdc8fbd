"""The direction in which a language is written, from its tag (BCP 47).

The facts are those of Unicode CLDR: the likely script of a language, and of a language in a region, where its tag
names none.
"""

from functools import lru_cache
from typing import Literal

Direction = Literal["ltr", "rtl"]
UNDETERMINED = "und"
"""The tag of a text whose language is not known."""
_SCRIPTS = """
adlm arab aran armi avst chrs cprt elym gara hatr hebr hung khar lydi mand mani mend merc mero narb nbat nkoo
orkh ougr palm phli phlp phnx prti rohg samr sarb sidt sogd sogo syrc syre syrj syrn thaa todr yezi
"""
_LANGUAGES = """
aao abh abv acm acq acw acx adf ae aeb aec aee aeq afb aib aii aij aiq ajp ajt aju amw apc apd ar ara arb arc
arq ars ary arz ask atn auj auz avd ave avl ayh ayl ayn ayp azb bal bcc bdz bej bft bgn bgp bhe bhm bhn bjf
bjm bqi brh brk bsh bsk chg cja ckb cld clh czk dcc def deh dgl div dmk dml dv ecy esh fa fas fay faz fia fub
gbz ggg gha ghr gig gjk gju glh glk gwc gwf gwt gzi hac haz hbo he heb hkh hnd hno hoh hrt hrz hss huy isk itk
iw jad jat jbe jbn jdg ji jnd jog jpa jpr jrb jye kas kbu kby kcy kfm khw klj kmz kqd ks ktl kvx kxp kzh lad
lah lhs lki lrc lrk lrl lsa lsd lss luv luz mby mde mfa mfi mhj mid mki mnj mve mvy myz mzn nli nlm nqo ntz
nyq oar obm odk oru ota otk oui pal pbt pbu per pes pgd phl phn phr phv plk pmu pnb pra prc prd prs prx ps psh
psi pst pus qxq rdb rhg rmt sam sbn scl sd sdb sdf sdg sdh sds sgl sgr sgy shd shm shu shv siy siz skr smp smy
snd sog sqo sqt srh srz ssh sts swb syc syn syr tjo tks tmr tov tra trg trm trw ug uig ur urd ush uzs vaf vgr
vmh wbk wlo wne wni wsv xco xhe xka xkc xkj xkp xld xly xmn xmr xna xpr xsa xvi ydd ydg yhd yi yid yih yud zba
zdj zrp zum
"""
_THERE = "az-iq az-ir ha-cm ha-sd kk-af kk-cn kk-ir kk-mn ku-lb ky-cn ms-cc pa-pk tg-pk uz-af"
RTL_SCRIPTS = frozenset(_SCRIPTS.split())
"""Scripts that are written from right to left (ISO 15924, lower case)."""
RTL_LANGUAGES = frozenset(_LANGUAGES.split())
"""Languages whose likely script is one of them, with the retired and the longer codes of the same languages."""
RTL_IN = frozenset(_THERE.split())
"""Languages that are written from right to left in one region only."""
LTR_IN = frozenset({"sd-in", "ug-kz", "ug-mn"})
"""The reverse."""
_SCRIPT, _REGION = 4, 2


@lru_cache(maxsize=1024)
def direction(tag: str) -> Direction:
    """``rtl`` where the language is written from right to left.

    A script that the tag names decides before anything else.
    """
    language, *further = tag.lower().split("-")
    script = next((part for part in further if len(part) == _SCRIPT and part.isalpha()), "")
    if script:
        return "rtl" if script in RTL_SCRIPTS else "ltr"
    region = next((part for part in further if len(part) == _REGION), "")
    there = f"{language}-{region}"
    if there in RTL_IN or (language in RTL_LANGUAGES and there not in LTR_IN):
        return "rtl"
    return "ltr"


def is_in(tag: str, wider: str) -> bool:
    """Whether a language range covers a tag, as ``en`` covers ``en-GB`` (RFC 4647, basic filtering)."""
    return f"{tag.lower()}-".startswith(f"{wider.lower()}-")


_NAMES = """
ar=العربية,bg=Български,bn=বাংলা,ca=Català,cs=Čeština,da=Dansk,de=Deutsch,el=Ελληνικά,en=English,es=Español,et=Eesti
eu=Euskara,fa=فارسی,fi=Suomi,fr=Français,gl=Galego,he=עברית,hi=हिन्दी,hr=Hrvatski,hu=Magyar,id=Bahasa Indonesia
is=Íslenska,it=Italiano,ja=日本語,ka=ქართული,ko=한국어,lt=Lietuvių,lv=Latviešu,mk=Македонски,nb=Norsk bokmål
nl=Nederlands,nn=Norsk nynorsk,no=Norsk,pl=Polski,pt=Português,ro=Română,ru=Русский,sk=Slovenčina,sl=Slovenščina
sq=Shqip,sr=Српски,sv=Svenska,ta=தமிழ்,th=ไทย,tr=Türkçe,uk=Українська,ur=اردو,vi=Tiếng Việt,zh=中文
"""
_ENDONYMS = {row.partition("=")[0]: row.partition("=")[2] for row in _NAMES.strip().replace("\n", ",").split(",")}
"""Languages by the names that they have for themselves (Unicode CLDR)."""


def endonym(tag: str) -> str:
    """A language under its own name, with what else its tag says; the tag where the name is not listed."""
    language, _, further = tag.partition("-")
    name = _ENDONYMS.get(language.lower(), "")
    return f"{name} ({further})" if name and further else name or tag
