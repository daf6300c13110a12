"""Codes of every scheme with the labels that they must have, typed from the schemes themselves; None is no code.

Shares no code and no table with the product.
"""

from __future__ import annotations

BLOOD = "I00-I99 diseases of the circulatory system"
METABOLIC = "E00-E90 endocrine, nutritional and metabolic diseases"
CODES = {
    "icd10": {
        "E11.9": ("E11", "E08-E14", METABOLIC),
        " e1165 ": ("E11", "E08-E14", METABOLIC),
        "E11": ("E11", "E08-E14", METABOLIC),
        "I21.3": ("I21", "I20-I25", BLOOD),
        "I5A": ("I5A", "I30-I52,I5A", BLOOD),
        "D37.0": ("D37", "D37-D49", "C00-D49 neoplasms"),
        "D3A.0": ("D3A", "D10-D36,D3A", "C00-D49 neoplasms"),
        "H60.1": ("H60", "H60-H62", "H60-H95 diseases of the ear"),
        "H59.9": ("H59", "H55-H59", "H00-H59 diseases of the eye"),
        "X85.2": ("X85", "X85-Y09", "V00-Y99 external causes"),
        "S72.001A": ("S72", "S70-S79", "S00-T98 injury and poisoning"),
        "Z3A.20": ("Z3A", "Z30-Z39,Z3A", "Z00-Z99 contact with health services"),
        "U07.1": ("U07", "U00-U49", "U00-U99 codes for special purposes"),
        "A12": None,
        "E1": None,
        "11E": None,
        "diabetes": None,
    },
    "icd9": {
        "250.83": ("250", "249-259", "240-279 endocrine, nutritional, metabolic and immunity disorders"),
        "4280": ("428", "420-429", "390-459 diseases of the circulatory system"),
        "E800.1": ("E800", "E800-E807", "E000-E999 external causes"),
        "v58.6": ("V58", "V50-V59", "V01-V91 contact with health services"),
        "001": ("001", "001-009", "001-139 infectious and parasitic diseases"),
        "E80": None,
        "V99": None,
        "8": None,
    },
    "atc": {
        "A10BA02": ("A10BA", "A10B", "A10", "A alimentary tract and metabolism"),
        "n02be01": ("N02BE", "N02B", "N02", "N nervous system"),
        "C07": ("C07", "C07", "C07", "C cardiovascular system"),
        "J": ("J", "J", "J", "J anti-infectives for systemic use"),
        "E01": None,
        "A10B2": None,
        "A1": None,
    },
    "nace": {
        "62.01": ("62.0", "62", "J information and communication"),
        "6201": ("62.0", "62", "J information and communication"),
        "01": ("01", "01", "A agriculture, forestry and fishing"),
        "10.1": ("10.1", "10", "C manufacturing"),
        "34": None,
        "62.011": None,
    },
    "naics": {
        "541511": ("54151", "5415", "541", "54 professional, scientific and technical services"),
        "336": ("336", "336", "336", "31-33 manufacturing"),
        "445110": ("44511", "4451", "445", "44-45 retail trade"),
        "99": None,
        "54151X": None,
    },
    "isco08": {
        "2211": ("221", "22", "2 professionals"),
        "0110": ("011", "01", "0 armed forces"),
        "9": ("9", "9", "9 elementary occupations"),
        "96": ("96", "96", "9 elementary occupations"),
        "4720": None,
        "22111": None,
    },
    "soc": {
        "15-1252": ("15-125", "15-1", "15 computer and mathematical"),
        "15-1252.00": ("15-125", "15-1", "15 computer and mathematical"),
        "291141": ("29-114", "29-1", "29 healthcare practitioners and technical"),
        "14-1000": None,
    },
    "country": {
        "DE": ("Western Europe", "Europe"),
        "deu": ("Western Europe", "Europe"),
        " Germany": ("Western Europe", "Europe"),
        "Côte d'Ivoire": ("Western Africa", "Africa"),
        "CÔTE D'IVOIRE": ("Western Africa", "Africa"),
        "Guinea-Bissau": ("Western Africa", "Africa"),
        "US": ("Northern America", "Americas"),
        "NA": ("Southern Africa", "Africa"),
        "NR": ("Micronesia", "Oceania"),
        "XX": None,
        "Atlantis": None,
    },
    "nuts": {
        "DE212": ("DE21", "DE2", "DE"),
        "EL": ("EL", "EL", "EL"),
        "DEZZZ": ("DEZZ", "DEZ", "DE"),
        "GR1": None,
        "DE2123": None,
    },
    "fips": {
        "06037": ("California", "Pacific", "West"),
        "11001": ("District of Columbia", "South Atlantic", "South"),
        "36": ("New York", "Middle Atlantic", "Northeast"),
        "72001": ("Puerto Rico", "island areas of the US", "island areas"),
        "03001": None,
        "CA": None,
    },
    "us_state": {
        "CA": ("California", "Pacific", "West"),
        "texas": ("Texas", "West South Central", "South"),
        "Washington, D.C.": ("District of Columbia", "South Atlantic", "South"),
        "ZZ": None,
    },
    "us_zip": {
        "02139": ("021", "0"),
        "02139-4307": ("021", "0"),
        "03601": ("000", "000"),
        "89301": ("000", "000"),
        "87901": ("000", "000"),
        "94110": ("941", "9"),
        "0213": None,
        "021394": None,
        "O2139": None,
    },
}  # fmt: skip


def paths_of(name):
    """The rows that a hierarchy of these codes must have: a value, its labels, the root; None where it has no path."""
    rows = []
    for value, labels in CODES[name].items():
        height = len(next(filter(None, CODES[name].values())))
        rows.append((value, *(labels or [None] * height), "*" if labels else None))
    return rows
