"""The wording and the names by which notices that stand on many pages are known: consent, scripts, delivery."""

import re

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LETTERS = re.compile(r"[a-zà-ÿ]+")
_TAXONOMY = re.compile(r"\b(?:tag|category|cat|topic|post_tag|section|label)[-_][\w-]+", re.IGNORECASE)
_CONSENT_NAMES = frozenset(
    {
        "consent",
        "gdpr",
        "ccpa",
        "onetrust",
        "didomi",
        "truste",
        "trustarc",
        "usercentrics",
        "iubenda",
        "borlabs",
        "klaro",
    }
    | {"evidon", "tarteaucitron", "cmplz", "cmpbox", "cmpwrapper", "quantcast", "sourcepoint", "complianz"}
)
_PRIVACY_PARTS = frozenset(
    {"notice", "banner", "popup", "wall", "overlay", "modal", "bar", "manager", "dialog", "prompt"}
)
_CONSENT_WORDS = re.compile(
    "accept|agree|consent|partner|preferenc|personal data|advertis|privacy|tracking|third part|legitimate interest|reject|opt out"
    "|akzeptier|zustimm|einwillig|ablehn|datenschutz|werbung|einstellung"
    "|accepter|consentement|partenaire|confidentialit|publicit|refuser|vie privée"
    "|acept|consentimiento|socios|privacidad|publicidad|rechaz|accett|rifiut|consenso|riservatezza"
    "|akkoord|toestemming|weiger|aceit|rejeit|samtyck|samtykk|godk|akceptuj|zgod|prywatno|souhlas|soukrom",
    re.IGNORECASE,
)
_CONSENT_SENTENCE_KINDS = (
    r"we value your privacy",
    r"we (?:and|use|care)\b[^.]{0,60}\b(?:cookies|partners|privacy)",
    r"(?:store|access)[^.]{0,30} information on (?:a|your) device",
    r"process(?:ing)? (?:of )?personal data",
    r"(?:accept|reject) all",
    r"manage (?:your )?(?:preferences|choices|settings|options|consent)",
    r"legitimate interest",
    r"(?:change|withdraw) your (?:choice|consent|mind|preferences)",
    r"uses? cookies",
    r"by continuing to (?:use|browse)",
    r"cookie (?:policy|settings|preferences|notice)",
    r"wir (?:und|verwenden|nutzen|benötigen)\b[^.]{0,60}\b(?:cookies|partner|zustimmung)",
    r"alle (?:cookies )?(?:akzeptieren|ablehnen)",
    r"informationen auf (?:einem|ihrem) gerät",
    r"personenbezogene daten",
    r"nous (?:et|utilisons|respectons)\b[^.]{0,60}\b(?:cookies|partenaires|vie privée)",
    r"tout (?:accepter|refuser)",
    r"données personnelles",
    r"(?:utilizamos|usamos|nosotros y)\b[^.]{0,60}\b(?:cookies|socios)",
    r"aceptar tod[ao]s",
    r"datos personales",
    r"(?:utilizziamo|noi e)\b[^.]{0,60}\b(?:cookie|partner)",
    r"accetta tutt",
    r"dati personali",
    r"wij (?:en|gebruiken)\b[^.]{0,60}\b(?:cookies|partners)",
    r"alles accepteren",
    r"persoonsgegevens",
)
_CONSENT_SENTENCES = re.compile("|".join(_CONSENT_SENTENCE_KINDS))
_CONSENT_STEMS = frozenset(
    {
        "cookie",
        "privacy",
        "privée",
        "partner",
        "socios",
        "partenaires",
        "accept",
        "aceptar",
        "akzept",
        "accett",
        "reject",
    }
    | {
        "refuser",
        "ablehnen",
        "personal data",
        "personenbez",
        "personnelles",
        "personales",
        "personali",
        "persoonsg",
        "device",
    }
    | {
        "gerät",
        "consent",
        "zustimm",
        "legitimate",
        "preferences",
        "choice",
        "continuing",
        "your mind",
        "manage",
    }
)
_SCRIPT_NOTICE = re.compile(
    r"(?:enable|activate|turn on|requires?|need|without|aktivier|benötig|activ|habilit|abilit|inschakel|włącz|povol)\w*\b"
    r"[^.]{0,60}\bjava\s?script"
    r"|java\s?script\b[^.]{0,60}\b(?:is (?:disabled|required|not enabled|turned off)|disabled|required|enable|aktivier"
    r"|deaktiviert|désactivé|activ|deshabilitado|habilit)"
    r"|(?:loading|please wait)\W*$",
    re.IGNORECASE,
)
_SHOP_NAMES = frozenset(
    {
        "delivery",
        "shipping",
        "shipment",
        "returns",
        "refund",
        "refunds",
        "versand",
        "versandkosten",
        "versandinfo",
        "lieferung",
    }
    | {
        "rückgabe",
        "livraison",
        "retours",
        "envio",
        "envíos",
        "devoluciones",
        "spedizione",
        "resi",
        "verzending",
        "retour",
    }
)
_SHOP_HEADING = re.compile(
    r"(?:(?:free |fast )?(?:delivery|shipping|returns?|refunds?|payment|versand|lieferung|rückgabe|retoure|zahlung|livraison|retours?"
    r"|paiement|envíos?|devoluciones|pagos?|spedizion[ei]|resi|pagament[oi]|verzending|betaling)"
    r"(?: methods?| options?| information| policy| costs?)?(?:\s*(?:and|und|et|y|e|en|&|,|/)\s*|$))+",
    re.IGNORECASE,
)
_WORDS_PER_CONSENT_SENTENCE = 40
_WORDS_PER_CONSENT_WORD = 30
_LONGEST_SCRIPT_NOTICE = 40
_LONGEST_CONSENT_PAGE = 400


def is_consent_notice(text: str) -> bool:
    """Whether a text is a consent notice and little else: two of its usual sentences, and one in every 40 words of at most 400.

    >>> is_consent_notice("We value your privacy. We and our 12 partners store information on a device. Accept all")
    True
    """
    words = len(text.split())
    return words <= _LONGEST_CONSENT_PAGE and is_dense_in_consent(words, consent_sentences(text), least=2)


def is_dense_in_consent(words: int, sentences: int, *, least: int) -> bool:
    """Whether so many consent sentences in so many words make a notice."""
    return sentences >= least and words <= sentences * _WORDS_PER_CONSENT_SENTENCE


def consent_sentences(text: str) -> int:
    """Count the sentences that consent notices are made of (English, German, French, Spanish, Italian, Dutch).

    >>> consent_sentences("We value your privacy. The ferry runs every twenty minutes.")
    1
    """
    lowered = text.lower()
    if not any(stem in lowered for stem in _CONSENT_STEMS):
        return 0
    return len(_CONSENT_SENTENCES.findall(lowered))


def speaks_of_consent(text: str) -> bool:
    """Whether a text has two of the words that consent notices use, and one in every 30; a text of three words always passes."""
    words = len(text.split())
    found = _CONSENT_WORDS.findall(text)
    return words <= 3 or (
        len({word.lower() for word in found}) >= 2 and words <= len(found) * _WORDS_PER_CONSENT_WORD
    )


def has_consent_name(name: str) -> bool:
    """Whether an element's id and classes say that it is a consent notice; names of categories and tags don't count.

    >>> has_consent_name("cookieBanner top"), has_consent_name("post tag-cookies"), has_consent_name("cmp-text")
    (True, False, False)
    """
    words = _words_of(_TAXONOMY.sub(" ", name))
    if any(word in _CONSENT_NAMES or word.startswith("cookie") for word in words):
        return True
    return "privacy" in words and not _PRIVACY_PARTS.isdisjoint(words)


def is_script_notice(text: str) -> bool:
    """Whether a short text only says that the page needs scripts.

    >>> is_script_notice("You need to enable JavaScript to run this app.")
    True
    """
    return 0 < len(text.split()) <= _LONGEST_SCRIPT_NOTICE and _SCRIPT_NOTICE.search(text) is not None


def has_shop_name(name: str) -> bool:
    """Whether an element's id and classes say that it is about delivery, returns or refunds.

    >>> has_shop_name("shippingInfo"), has_shop_name("product-text")
    (True, False)
    """
    return not _SHOP_NAMES.isdisjoint(_words_of(name))


def is_shop_heading(text: str) -> bool:
    """Whether a heading names nothing but delivery, returns and payment.

    >>> is_shop_heading("Delivery and returns"), is_shop_heading("Delivery of a verdict")
    (True, False)
    """
    return _SHOP_HEADING.fullmatch(text) is not None


def _words_of(name: str) -> list[str]:
    return _LETTERS.findall(_CAMEL.sub(" ", name).lower())
