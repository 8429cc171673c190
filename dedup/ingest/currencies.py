"""Currencies: their codes, their signs, and how many decimals they have (ISO 4217)."""

_WITHOUT_DECIMALS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_WITH_THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND"
_WITH_TWO_DECIMALS = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK
    DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT
    LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN
    QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS
    VES WST XCD YER ZAR ZMW ZWL
"""
_DECIMALS = {
    **dict.fromkeys(_WITH_TWO_DECIMALS.split(), 2),
    **dict.fromkeys(_WITHOUT_DECIMALS.split(), 0),
    **dict.fromkeys(_WITH_THREE_DECIMALS.split(), 3),
}
_SIGNS = {
    "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₪": "ILS", "₫": "VND", "฿": "THB",
    "₱": "PHP", "₦": "NGN", "₸": "KZT", "US$": "USD", "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD", "NZ$": "NZD",
    "HK$": "HKD", "S$": "SGD", "R$": "BRL", "MX$": "MXN", "NT$": "TWD", "ZŁ": "PLN", "KČ": "CZK", "FT": "HUF", "LEI": "RON",
    "ЛВ": "BGN", "РУБ": "RUB", "EURO": "EUR", "EUROS": "EUR", "FR": "CHF", "SFR": "CHF", "RS": "INR", "円": "JPY", "元": "CNY",
    "RMB": "CNY", "CN¥": "CNY", "JP¥": "JPY", "$": "$", "¥": "¥", "KR": "kr",
}  # fmt: skip
_SHARED_SIGNS = {
    "$": frozenset(
        {
            "USD",
            "CAD",
            "AUD",
            "NZD",
            "HKD",
            "SGD",
            "TWD",
            "MXN",
            "ARS",
            "CLP",
            "COP",
            "JMD",
            "BBD",
            "BZD",
            "BSD",
            "FJD",
        }
        | {"TTD", "NAD", "LRD"}
    ),
    "¥": frozenset({"JPY", "CNY"}),
    "kr": frozenset({"SEK", "NOK", "DKK", "ISK"}),
}


def decimals_of(currency: str) -> int:
    """How many decimals a currency has; 2 for those not listed and for no currency.

    >>> decimals_of("JPY"), decimals_of("EUR"), decimals_of("KWD")
    (0, 2, 3)
    """
    return _DECIMALS.get(currency, 2)


def currency_of(sign: str) -> str:
    """The code for a code, name or sign in any case; a sign that several currencies share stays itself; empty if unknown.

    >>> currency_of("eur"), currency_of("US$"), currency_of("$"), currency_of("steel")
    ('EUR', 'USD', '$', '')
    """
    upper = sign.upper()
    if upper in _DECIMALS:
        return upper
    if upper in _SIGNS:
        return _SIGNS[upper]
    return _SIGNS[sign[-1]] if sign[-1:] in {"$", "¥"} else ""


def agreed(codes: set[str]) -> str | None:
    """The one currency that all codes and signs can stand for; None if they contradict each other, empty if there is none.

    >>> agreed({"$", "CAD"}), agreed({"$", "EUR"}), agreed(set())
    ('CAD', None, '')
    """
    clear = [code for code in codes if code not in _SHARED_SIGNS]
    if len(clear) > 1 or (not clear and len(codes) > 1):
        return None
    if not clear:
        return next(iter(codes), "")
    return clear[0] if all(code == clear[0] or clear[0] in _SHARED_SIGNS[code] for code in codes) else None
