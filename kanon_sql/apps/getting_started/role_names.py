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
            r"(?:p|w|hh|per|sampl\w+_)weight|\w{0,3}wgtp?|placebo|treated|interven(?:tion|ed)|assign(?:ed|ment)|allocat(?:ed|ion)|"
            r"(?:rand|itt|saf|fas|pprot|scr|comp)fl)_?\d*$"
        ),
    ),
    NameRule(
        SENSITIVE,
        "habits",
        _words(
            r"\w*smok(?:e|es|er|ers|ing)|cig\w*|tobacco|alcohol\w*|\w*drink(?:s|er|ing)?|beer|wine|\w*substance\w*|marijuana|"
            r"cannabis|cocaine|heroin|opi(?:oid|ate)s?|narcotics?|sexual\w*|(?:n|num|sex)_?partners?|\w*risk|affairs?|condoms?|contracep\w*|"
            r"birth_control|abortions?|homo|gay|habits?|exerc?(?:ise)?|diet\w*|calories|coffee|gambl\w*|use[ds]?|use_\w+|packs|"
            r"rauch\w*|tabac|fuma\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "crime and justice",
        _words(
            r"n?arr(?:est\w*|\d+)|\w*arrests?|crim\w*|convict\w*|felon\w*|offen[cs]\w*|prison\w*|jail\w*|\w*sen(?:tenc\w*)?|"
            r"parole\w*|probation|bail|custody|released|verdict|guilty|charged|citation\w*|search(?:ed)?|frisk\w*|priors?|recidiv\w*|"
            r"murder\w*|homicide\w*|assault\w*|theft\w*|robber\w*|burglar\w*|violen\w*|abuse\w*|victim\w*|guns?|weapons?|gangs?|"
            r"misconduct|delinquent|straftat\w*|delit\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "marks and scores",
        _words(
            r"\w*scores?|results?|\w*gpa|[gs]at[vm]?|(?:act|gre)(?!_)|lsat|mcat|toefl|gmat|math\w*|arith\w*|algebra|read(?:ing)?|"
            r"writ(?:e|ing)|spelling|scien\w*|soc_?st\w*|vocab\w*|verbal\w*|iq|cogniti\w*|memory|performance\w*|eval\w*|marks?|\w*exams?|"
            r"finals?(?!_)|midterms?|quiz\w*|homework\w*|assignments?|(?:pre|post)_?tests?|tests?_?\d+|pass(?:ed)?|fail(?:ed|ures?)?|retained|"
            r"percentile|\w*_points|ability|aptitude|skills?|knowledge|noten?"
        ),
    ),
    NameRule(
        SENSITIVE,
        "opinions",
        _words(
            r"vot(?:e|ed|es|ing)\w*|party\w*|ideo\w*|polit\w*|religi(?:ous|os|mp)\w*|\w*satisf\w*|opinions?|attitude\w*|trust\w*|"
            r"approv\w*|happ(?:y|iness)|feel\w*|belie[fv]\w*|\w*racism|racist|pray\w*|church\w*|\w*ratings?|rate_\w+|involvement|"
            r"agree\w*|prefer\w*|status_?quo|fear\w*|favou?r\w*|support\w*|oppos\w*|concern\w*|worr(?:y|ied|ies)\w*|confiden\w*|importan\w*|"
            r"liberal\w*|conserv\w*|democrat\w*|republican\w*|left_?right|lr_?scale|thermo\w*|therm_\w+|born_?again|evangel\w*|god|bible|"
            r"economic_\w+|ideal\w*|life_?sat\w*|risk_(?:av\w+|tak\w+|pref\w+)|partei\w*|meinung\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "money",
        _words(
            r"\w*wages?|\w*salar\w*|\w*income\w*|\w{0,5}inc(?:sq|r)?|\w*earn(?:s|ings?)?|pay|payroll|bonus|stock_option\w*|"
            r"(?:hourly|daily|monthly)_rate|\w*hike|\w*debts?|\w*assets?|wealth|net_?worth|net\w?fa|credit|card|\w*cards|limit|loans?|"
            r"mortgages?|default\w*|delinq\w*|benefits?|\w*insur\w*|medicaid|medicare|hmo|pay[eo]r\w*|pension|\w{0,2}401k|p?ira|"
            r"tax(?:es)?|pov(?:erty|pip)?|poor|free_?\w*|private|welfare|\w*expend\w*|expens\w*|spend\w*|savings?|balance|"
            r"[ph]?incp|\w*inc\w*_(?:dec|quint|quart)ile|amount|\w*am(?:n|oun)?ts?|fees?|tips?|donat\w*|ltv|dti|fico|\w+_ratio|interest_rate|"
            r"int_rate|(?:sub|credit|loan)_grade|den(?:y|ied|ial)|bankrupt\w*|arrears|repa(?:y\w*|id)|invest\w*|stocks|budget|ses|"
            r"socio_?econ\w*|take_?up\w*|(?:un)?insured|coverage|premium|food_?stamps?|afdc|snap|ssi|profits?|sales|revenues?|gehalt|lohn|"
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
            r"surviv\w*|alive|vital\w*|outcomes?|relaps\w*|remission|recur\w*|progress(?:ion|ed)|improved|respon(?:se|der|ded)|adverse|"
            r"complicat\w*|comorbid\w*|futime|fu_?(?:time|days|years?)|follow_?up\w*|censor\w*|cens(?:ored)?|\w*sever(?:e|ity)|inj|"
            r"(?:doc|hosp|pharm?|phys\w*|er|gp)\w{0,6}vis\w*|(?:t|time_?)_?(?:start|stop)|"
            r"obes\w*|overweight|\w*aches?|migrain\w*|seizure\w*|epilep\w*|fractur\w*|lesions?|rash|itch\w*|ulcer\w*|bleed\w*|"
            r"h(?:a?e)morr\w*|o?edema|ascites|\w+(?:itis|osis|(?<!acad)(?<!boh)emia|pathy|uria|ectomy|plegia|algia)|\w{3,}(?<!dipl)(?<!oklah)oma|dement\w*|"
            r"alzheim\w*|parkins\w*|schizo\w*|bipolar|autis\w*|suicid\w*|sleep\w*|stress\w*|fatigue\w*|qol|menopaus\w*|menarche|"
            r"miscarr\w*|induced|spontaneous|stillb\w*|apgar|breast_?fe\w*|lactat\w*|steroids?|antibiot\w*|aspirin|statins?|dos(?:e|es|age)|"
            r"conc(?:entration)?|dialysis|biops\w*|histol\w*|krank\w*|diagnose|maladie|sante|enfermedad|salud"
        ),
    ),
    NameRule(
        SENSITIVE,
        "health",
        _words(
            r"blood\w*|bp|sys(?:tolic|bp)|dia(?:stolic|bp)|pulse|heart\w*|chol(?:est\w*)?|hdl|ldl|triglyc\w*|glu(?:cose)?|hba1c|"
            r"insulin|bili(?:rub\w*)?|albumin|creat(?:inine)?|platelets?|ha?emoglobin|hgb|hb|ha?ematocrit|hct|leu[ck]o\w*|[wr](?:b|c)c|neutro\w*|"
            r"lympho?\w*|cd[48]\d*|vir(?:us|al)\w*|serum\w*|plasma\w*|urin\w*|uric\w*|urea|bun|sodium|potassium|calcium|iron|copper|ferr(?:itin)?|"
            r"proteins?|prothrom\w*|protime|alk_?phos\w*|ast|alt|sgot|sgpt|ldh|crp|psa|tsh|estr\w*|testost\w*|antibod\w*|antigen\w*|"
            r"fev\d?|fvc|spo2|temp(?:erature)?|resp(?:iratory)?_rate|ecg|ejection\w*|skin_?fold\w*|"
            r"nodes?|stage|metasta\w*|gleason\w*|karnof\w*|ecog|nyha|apache\w*|esr"
        ),
    ),
    NameRule(
        SENSITIVE,
        "health",
        re.compile(r"^(?:[a-z]?status|p?stat|events?|base(?:line)?)$"),
    ),
    NameRule(
        QUASI,
        "relatives and neighbours know it",
        _words(
            r"marit\w*|mar(?:it)?status|\w*marr(?:y|ied|iage)?|maried|spouse\w*|wife\w*|husb\w*|\w*child\w*|\w*kids?|siblings?|"
            r"fam\w*|fsize|hh\w*|household\w*|num_?dep\w*|depend[ea]nts?|parity|gravid\w*|n?preg|moth\w*|fath\w*|mom|dad|parent\w*|"
            r"sibs?|sisters?|brothers?|twins?|zygosity|m(?:ar)?_?stat(?:us)?|marst|mar|msp|noc|npf|adults|"
            r"divorc\w*|widow\w*|cohab\w*|single|religion|catholic|protest\w*|jewish|muslim|faith|denomination|familienstand|kinder|"
            r"enfants|hijos|estado_civil"
        ),
    ),
    NameRule(
        QUASI,
        "who meets the person sees it",
        _words(
            r"age(?!n)\w*|[fmh]age|ages|sex|gender|male|female|race\w*|racial|rac\dp|ethn?\w*|black\w*|white\w*|hisp\w*|latin[aox]|asian|"
            r"n(?:on)?_?white|minority|afam|caucasian|african\w*|ancestry|fml|females?|fem|males?|beauty|attractive\w*|"
            r"(?:eye|hair|skin)_?colou?r|hand(?:ed(?:ness)?)?|bsa|waist\w*|colou?r|\w*birth\w*|\w*born\w*|dob|yob|"
            r"height|ht|weight|b?wt(?:kg|lbs)?|\w*wght\w*|\w*bmi|alter|geschlecht|geb|geburt\w*|sexe|naissance|edad|sexo|nacimiento"
        ),
    ),
    NameRule(
        QUASI,
        "it is in a curriculum vitae",
        _words(
            r"\w*(?<!r)educ\w*|\w?edu|ed|\w?school\w*|schl|sch\w?typ\w*|yrs?_?(?:ed|sch)\w*|colleg\w*|coll|universit\w*|\w*degree|grade|"
            r"p?class|student|teacher|major|gradu\w*|hs|hs_?grad\w*|freshm[ae]n|frosh|soph\w*|junior|semester|courses?|credits|"
            r"discipline|division|prog(?:ram)?|athlet\w*|sports?|attend(?:s|ance)?|absen\w*|days_?absent|tot_?hrs|prestige|literacy|diplom\w*|"
            r"out_?work\w*|occ\w*|\w*jobs?|job\w*|w(?:or|r)k\w*|[mfhw]?emp(?!t)\w*|industr\w*|indp?|sector|union|tenure|exper\w*|wexp|hours|hrs\w*|"
            r"self\w*|manager\w*|supervis\w*|farm(?:er|s|ing)?|manuf\w*|constru\w*|services?|trade|profession\w*|position|rank|team|"
            r"department|dept|\w*compan\w*|firm\w*|retired?|unemp\w*|senior\w*|(?:years|yrs)_\w+|\w+_(?:years|yrs)|career|attrition|business\w*|over_?time|training\w*|military|veteran|schule|bildung|beruf\w*|arbeit\w*|"
            r"ecole|metier|escuela|estudios|empleo|ocupacion"
        ),
    ),
    NameRule(
        QUASI,
        "it tells where a person lives or is from",
        _words(
            r"zip\w*|post(?:al|code|al_?code)|city\w*|urban|rural|s?msa\w*|metro\w*|count(?:y|ry)\w*|state|region\w*|nation\w*|"
            r"addr(?:ess)?(?:_\w+)?|native\w*|citizen\w*|\w*migra\w*|foreign\w*|lang\w*|place|residen\w*|home_?town|vill\w*|dist\w*|"
            r"\w*precinct|neighbo\w*|borough|commune|municip\w*|province|north\w*|south\w*|east\w*|west\w*|lat|latitude|long|lng|"
            r"longitude|location|electric\w*|internet|computer|condo\w*|dwelling\w*|apartment|rooms?|bedrooms?|urb|population|"
            r"puma|area\w*|homeless|home|hous\w*|own(?:er|ed|s)?|rent|cars?|vehicle\w*|bicycle|radio|tv|plz|ort|wohnort|land|bundesland|ville|departement|pays|ciudad|provincia|pais"
        ),
    ),
    NameRule(
        QUASI,
        "who was there knows it",
        _words(
            r"dates?|\w*_date|day|months?|years?|\w*yr|yr\w*|season|admi(?:t|ss)\w*|discharg\w*|hospital|clinic\w*|ward|\w*provider|"
            r"patient_class|cent(?:er|re)|site|inst(?:itution)?|interview\w*|embarked|cabin|ticket|deck|origin|dest\w*|carrier|flight|datum|jahr|monat|annee|mois|fecha"
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

DERIVED = re.compile(
    r"(?:ln|log|sqrt)_?(?P<of>\w{3,})|(?P<of_groups>\w{3,}?)_?(?:cat|gro?u?p|sq|fac(?:tor)?)"
)
"""Names of a logarithm, a root, a square, groups or categories of another column."""


def rule_of(name: str, others: Collection[str] = ()) -> NameRule | None:
    """Return the first rule that a folded name matches, or that the name of another column or of what it groups does.

    >>> [rule_of(each).about for each in ("monthly_income", "smoker", "blood_pressure", "heduc", "arm")]
    ['money', 'habits', 'health', 'it is in a curriculum vitae', 'the plan of a study']
    >>> rule_of("dht", ("ht", "dht")) == rule_of("ht"), rule_of("dht")
    (True, None)
    >>> rule_of("logbmi") == rule_of("bmicat") == rule_of("bmi")
    True
    """
    found = next((rule for rule in RULES if rule.pattern.search(name)), None)
    if found is None and (base := DERIVED.fullmatch(name)) is not None:
        return rule_of(base["of"] or base["of_groups"], others)
    if found is None and name[1:] in others:  # the father's height beside the height
        return rule_of(name[1:])
    return found
