r"""What the name of a column says about its role: a table of patterns, each for one reason. The first that matches counts.

The words are English, and German, French and Spanish where they are few; `stem\w*` matches a word by its beginning.
A name says more than values can: a wage and a blood pressure are numbers alike.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class NameRule:
    """The role of columns with such a name, and what they are about."""

    role: Role
    about: str
    pattern: re.Pattern[str]


def _words(words: str) -> re.Pattern[str]:
    """Match a word of a folded name, which digits may follow."""
    return re.compile(rf"(?:^|_)(?:{words})(?=$|_|\d)")


SENSITIVE, QUASI = Role.SENSITIVE, Role.QUASI
RULES = (
    NameRule(
        Role.INSENSITIVE,
        "the plan of a study",
        re.compile(
            r"^(?:(?:study|trial|treatment|treat|rand|random\w*|survey|test|control)_)?(?:arms?|trt\w*|treat|rx|grp|groups?|"
            r"(?:\w+_)?strat(?:um|a)|strat|rand(?:om\w*)?|itt\w*|wave|period|phase|cohort|session|occasion|round|block|batch|"
            r"(?:p|w|hh|per|sampl\w+_)weight|\w{0,3}wgtp?)_?\d*$"
        ),
    ),
    NameRule(
        SENSITIVE,
        "habits",
        _words(
            r"\w*smok(?:e|es|er|ers|ing)|cig\w*|tobacco|alcohol\w*|\w*drink(?:s|er|ing)?|beer|wine|\w*substance\w*|marijuana|"
            r"cannabis|cocaine|heroin|sexual\w*|\w*risk|affairs?|condoms?|contracep\w*|abortions?|homo|gay|habits?|exercise|"
            r"rauch\w*|tabac|fuma\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "crime and justice",
        _words(
            r"n?arr(?:est\w*|\d+)|\w*arrests?|crim\w*|convict\w*|felon\w*|offen[cs]\w*|prison\w*|jail\w*|\w*sen(?:tenc\w*)?|"
            r"parole\w*|probation|verdict|guilty|citation\w*|search(?:ed)?|priors?|recidiv\w*|straftat\w*|delit\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "marks and scores",
        _words(
            r"\w*scores?|results?|\w*gpa|[gs]at[vm]?|math\w*|reading|writing|iq|performance\w*|eval\w*|marks?|\w*exams?|ability"
        ),
    ),
    NameRule(
        SENSITIVE,
        "opinions",
        _words(
            r"vot(?:e|ed|es|ing)\w*|party\w*|ideo\w*|polit\w*|religi(?:ous|os|mp)\w*|\w*satisf\w*|opinions?|attitude\w*|trust\w*|"
            r"approv\w*|happ(?:y|iness)|feel\w*|belie[fv]\w*|\w*racism|racist|pray\w*|church\w*|\w*ratings?|rate_\w+|involvement|"
            r"agree\w*|prefer\w*|status_?quo|fear\w*|partei\w*|meinung\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "money",
        _words(
            r"\w*wages?|\w*salar\w*|\w*income\w*|\w{0,5}inc(?:sq|r)?|\w*earn(?:s|ings?)?|pay|payroll|bonus|stock_option\w*|"
            r"(?:hourly|daily|monthly)_rate|\w*hike|\w*debts?|\w*assets?|wealth|net_?worth|net\w?fa|credit|card|\w*cards|limit|loans?|"
            r"mortgages?|default\w*|delinq\w*|benefits?|\w*insur\w*|medicaid|medicare|hmo|pay[eo]r\w*|pension|\w{0,2}401k|p?ira|"
            r"tax(?:es)?|poverty|poor|free_?\w*|private|welfare|\w*expend\w*|expens\w*|spend\w*|savings?|balance|gehalt|lohn|"
            r"einkommen|schulden|salaire|revenu|dettes?|sueldo|ingresos?|deudas?"
        ),
    ),
    NameRule(
        SENSITIVE,
        "health",
        _words(
            r"disease\w*|diagnos\w*|dx|icd|conditions?|problems?|\w*ill(?:ness\w*)?|sick\w*|symptom\w*|hiv\w*|aids|cancer\w*|"
            r"tumou?r\w*|stroke|diabet\w*|hypertens\w*|high_?bp|angina|asthma\w*|depress\w*|anxi\w*|mental\w*|psych\w*|disab\w*|"
            r"handicap\w*|\w*injur\w*|\w*infect\w*|\w*pain\w*|cough\w*|fever|pregnan\w*|gestation|premature|premie|health\w*|hlth\w*|"
            r"\w?chronic\w*|allerg\w*|treatment\w*|therap\w*|medic(?:ation|ine)s?|drugs?|surg\w*|operation|transplant\w*|chemo\w*|"
            r"radiolog\w*|hormon\w*|vaccin\w*|emergency|hospitali[sz]\w*|\w*visits|death|dead|die[ds]|deceased|mortality|"
            r"surviv\w*|alive|vital\w*|outcomes?|relaps\w*|recur\w*|improved|adverse|futime|censor\w*|cens|krank\w*|diagnose|maladie|sante|enfermedad|salud"
        ),
    ),
    NameRule(
        SENSITIVE,
        "health",
        _words(
            r"blood\w*|bp|sys(?:tolic|bp)|dia(?:stolic|bp)|pulse|heart\w*|chol(?:est\w*)?|hdl|ldl|triglyc\w*|glu(?:cose)?|hba1c|"
            r"insulin|bilirub\w*|albumin|creat(?:inine)?|platelets?|ha?emoglobin|hgb|leu[ck]o\w*|[wr]bc|cd[48]\d*|vir(?:us|al)\w*|"
            r"nodes?|stage|metasta\w*|karnof\w*|ecog|esr"
        ),
    ),
    NameRule(
        QUASI,
        "relatives and neighbours know it",
        _words(
            r"marit\w*|mar(?:it)?status|\w*marr(?:y|ied|iage)?|maried|spouse\w*|wife\w*|husb\w*|\w*child\w*|\w*kids?|siblings?|"
            r"fam\w*|fsize|hh\w*|household\w*|num_?dep\w*|depend[ea]nts?|parity|moth\w*|fath\w*|parent\w*|"
            r"divorc\w*|widow\w*|cohab\w*|single|religion|catholic|protest\w*|jewish|muslim|faith|denomination|familienstand|kinder|"
            r"enfants|hijos|estado_civil"
        ),
    ),
    NameRule(
        QUASI,
        "who meets the person sees it",
        _words(
            r"age(?!n)\w*|[fmh]age|ages|sex|gender|male|female|race\w*|racial|ethn?\w*|black\w*|white\w*|hisp\w*|latin[aox]|asian|"
            r"nonwhite|minority|afam|colou?r|\w*birth\w*|\w*born\w*|dob|yob|height|ht|weight|b?wt(?:kg|lbs)?|\w*wght\w*|\w*bmi|"
            r"alter|geschlecht|geb|geburt\w*|sexe|naissance|edad|sexo|nacimiento"
        ),
    ),
    NameRule(
        QUASI,
        "it is in a curriculum vitae",
        _words(
            r"\w*(?<!r)educ\w*|edu|ed|school\w*|sch\w?typ\w*|college\w*|universit\w*|degree|grade|class|student|teacher|major|gradu\w*|"
            r"literacy|diplom\w*|occ\w*|\w*jobs?|job\w*|w(?:or|r)k\w*|emp(?!t)\w*|industr\w*|indp?|sector|union|tenure|exper\w*|hours|hrs\w*|"
            r"self\w*|profession\w*|position|rank|team|department|dept|\w*compan\w*|firm\w*|retired?|unemp\w*|senior\w*|(?:years|yrs)_\w+|"
            r"\w+_(?:years|yrs)|career|attrition|business\w*|over_?time|training\w*|military|veteran|schule|bildung|beruf\w*|arbeit\w*|"
            r"ecole|metier|escuela|estudios|empleo|ocupacion"
        ),
    ),
    NameRule(
        QUASI,
        "it tells where a person lives or is from",
        _words(
            r"zip\w*|post(?:al|code|al_?code)|city\w*|urban|rural|s?msa\w*|metro\w*|count(?:y|ry)\w*|state|region\w*|nation\w*|"
            r"native\w*|citizen\w*|\w*migra\w*|foreign\w*|lang\w*|place|residen\w*|home_?town|vill\w*|dist\w*|"
            r"\w*precinct|neighbo\w*|borough|commune|municip\w*|province|north\w*|south\w*|east\w*|west\w*|lat|latitude|long|lng|"
            r"longitude|location|population|puma|area\w*|homeless|home|hous\w*|own(?:er|ed|s)?|rent|cars?|vehicle\w*|bicycle|radio|tv|"
            r"plz|ort|wohnort|land|bundesland|ville|departement|pays|ciudad|provincia|pais"
        ),
    ),
    NameRule(
        QUASI,
        "who was there knows it",
        _words(
            r"dates?|\w*_date|day|months?|years?|\w*yr|yr\w*|season|admi(?:t|ss)\w*|discharg\w*|hospital|clinic\w*|ward|\w*provider|"
            r"patient_class|origin|dest\w*|carrier|flight|datum|jahr|monat|annee|mois|fecha"
        ),
    ),
)
"""The rules, those of sensitive attributes before those of quasi-identifiers: `school_score` is a score."""


_THING = (
    r"(?:clinic|hospital|school|company|firm|employer|department|team|store|shop|branch|bank|product|brand|drug|city|country|"
    r"county|state|region|street|file|table|column|plan|group|test|ward|center|centre|site|class|village|town|district|area)"
)
OF_A_THING = _words(rf"{_THING}_name")
"""Names of columns with names that are not those of a person."""
KEY_OF_A_THING = re.compile(rf"(?:.*_)?{_THING}_?(?:id|no|nr|num|number|key|code)")
"""Names of keys of a place or an institution, which many people share: they say where somebody is, and count nobody."""


def rule_of(name: str, others: Collection[str] = ()) -> NameRule | None:
    """Return the first rule that a folded name matches, or that another name does with one letter less in front.

    >>> [rule_of(each).about for each in ("monthly_income", "smoker", "blood_pressure", "heduc", "arm")]
    ['money', 'habits', 'health', 'it is in a curriculum vitae', 'the plan of a study']
    >>> rule_of("dht", ("ht", "dht")) == rule_of("ht"), rule_of("dht")
    (True, None)
    """
    found = next((rule for rule in RULES if rule.pattern.search(name)), None)
    if found is None and name[1:] in others:  # the father's height beside the height
        return rule_of(name[1:])
    return found
