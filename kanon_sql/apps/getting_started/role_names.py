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
MONEY = "money"
RULES = (
    NameRule(
        Role.INSENSITIVE,
        "the plan of a study",
        re.compile(
            r"^(?:(?:study|trial|treatment|treat|rand|random\w*|survey|test|control)_)?(?:arms?|trt\w*|treat|rx|grp|groups?|"
            r"(?:\w+_)?strat(?:um|a)|strat|rand(?:om\w*)?|itt\w*|wave|period|phase|cohort|session|occasion|round|block|"
            r"batch|"
            r"(?:p|w|d|hh|an|per|psp|psp?w|sampl\w+_)_?(?:weight|wght)|\w{1,3}wgtp?|wgtp|placebo|treated|"
            r"interven(?:tion|ed)|assign(?:ed|ment)|allocat(?:ed|ion)|"
            r"(?:rand|itt|saf|fas|pprot|scr|comp)fl)_?\d*$"
        ),
    ),
    NameRule(
        SENSITIVE,
        "habits",
        _words(
            r"\w*smok(?:e|es|er|ers|ing)|cig\w*|tobacco|alcohol\w*|\w*drink(?:s|er|ing)?|beer|wine|\w*substance\w*|"
            r"marijuana|"
            r"cannabis|cocaine|heroin|opi(?:oid|ate)s?|narcotics?|sexual\w*|(?:n|num|sex)_?partners?|\w*risk|affairs?|"
            r"condoms?|contracep\w*|"
            r"birth_control|abortions?|homo|gay|habits?|exerc?(?:ise)?|diet\w*|calories|coffee|gambl\w*|use[ds]?|use_\w+|"
            r"packs|"
            r"alc|grass|weed|vap(?:e|ing)\w*|e_?cig\w*|binge\w*|snus|sober\w*|addict\w*|overdos\w*|crack|lsd|ecstasy|meth|"
            r"inject\w*|needles?|"
            r"fast_?food|veg(?:etables|an|etarian)\w*|sedentary|physical_?act\w*|pill|iud|fertil\w*|intercourse|virgin\w*|"
            r"porn\w*|rauch\w*|"
            r"alkohol\w*|tabac\w*|tabaco|alcool\w*|fum(?:a|eur|o)\w*|bebe\w*|drog(?:a|en|ue)\w*|zigarett\w*|tabak\w*|toxicoman\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "crime and justice",
        _words(
            r"n?arr(?:est\w*|\d+)|\w*arrests?|crim\w*|convict\w*|felon\w*|offen[cs]\w*|prison\w*|jail\w*|"
            r"\w*sen(?:tenc\w*)?|"
            r"parole\w*|probation|bail|custody|released|verdict|guilty|charged|citation\w*|"
            r"(?:person|vehicle|body|car|home|property|consent)_?search\w*|searched|frisk\w*|priors?|recidiv\w*|"
            r"murder\w*|homicide\w*|assault\w*|theft\w*|robber\w*|burglar\w*|violen\w*|abuse\w*|victim\w*|guns?|weapons?|"
            r"gangs?|"
            r"misconduct|delinquen\w*|incarcerat\w*|inmate\w*|warrant\w*|indict\w*|plea|court\w*|decision\w*|granted|ruling\w*|appeal\w*|asylum|"
            r"police_(?:stop|force|contact)\w*|contraband|fraud\w*|"
            r"steal\w*|stole\w*|cheat\w*|plagiar\w*|harass\w*|bully\w*|bullied|rape\w*|domestic_\w+|suspen(?:ded|sion)s?|"
            r"expel\w*|dwi|dui|"
            r"straf\w*|gefaengnis|delit\w*|delito\w*|reato|verurteil\w*|haft\w*|opfer\w*|condamn\w*|detenu\w*|condena\w*|carcel\w*"
        ),
    ),
    NameRule(
        QUASI,
        "it is published with names",
        _words(
            r"at_?bats?|hits|home_?runs?|homers?|runs|rbis?|walks|innings|goals|assists?|rebounds|touchdowns|yards|strike_?outs?|"
            r"stolen_?bases|put_?outs|outs|fouls|laps|podiums?|citations|publications|articles"
        ),
    ),
    NameRule(
        SENSITIVE,
        "marks and scores",
        _words(
            r"\w*scores?|results?|\w*gpa|[gs]at[vm]?|(?:act|gre)(?!_)|lsat|mcat|toefl|gmat|math\w*|arith\w*|algebra|"
            r"read(?:ing)?|"
            r"writ(?:e|ing)|spelling|scien\w*|soc_?st\w*|vocab\w*|verbal\w*|iq|cogniti\w*|memory|performance\w*|eval\w*|"
            r"marks?|\w*exams?|"
            r"finals?(?!_)|midterms?|quiz\w*|homework\w*|assignments?|(?:pre|post)_?tests?|tests?_?\d+|pass(?:ed)?|"
            r"fail(?:ed|ures?)?|retained|"
            r"percentile|\w*_points|ability|aptitude|skills?|knowledge|perform\w*|achiev\w*|proficien\w*|competen\w*|"
            r"literacy_test|"
            r"(?:hs|class|school)_?(?:rank|perc\w*|avg)|"
            r"(?:course|final|exam|midterm|term|overall|math|test|letter|year)_?grades?|gr(?:ade)?_?(?:avg|average|pt)|"
            r"[gs]at_?[qw]|psat|ged|afqt|asvab|act_?(?:math|comp\w*|engl\w*)|wisc\w*|wais\w*|wechsler|ppvt|peabody\w*|"
            r"raven\w*|digit_?span|"
            r"recall|reaction\w*|correct\w*|errors?|attempts?|accuracy|\w*bias|zeugnis|noten?|calificaci\w*|nota|voto_finale|"
            r"puntaje|puntuaci\w*|punktzahl|ergebnis\w*|resultad\w*|resultats?"
        ),
    ),
    NameRule(
        SENSITIVE,
        "opinions",
        _words(
            r"vot(?:e|ed|es|ing)\w*|party\w*|ideo\w*|polit\w*|religi(?:ous|os|mp)\w*|\w*satisf\w*|opinions?|attitude\w*|"
            r"trust\w*|"
            r"approv\w*|happ(?:y|iness)|feel\w*|belie[fv]\w*|\w*racism|racist|pray\w*|church\w*|\w*ratings?|rate_\w+|"
            r"involvement|"
            r"agree\w*|prefer\w*|status_?quo|fear\w*|favou?r\w*|support\w*|oppos\w*|concern\w*|worr(?:y|ied|ies)\w*|"
            r"confiden\w*|importan\w*|"
            r"liberal\w*|conserv\w*|democrat\w*|republican\w*|left_?right|lr_?scale|thermo\w*|therm_\w+|born_?again|"
            r"evangel\w*|god|bible|"
            r"economic_\w+|ideal\w*|life_?sat\w*|risk_?(?:av\w+|tak\w+|pref\w+)|trst\w+|stf\w+|"
            r"pol(?:int|eff|know|trst|view)\w*|"
            r"turn_?out\w*|candidate_\w+|president\w*|congress\w*|immigr_?att\w*|tolera\w*|prejud\w*|racis\w*|sexis\w*|"
            r"equality|"
            r"well_?being|wellbeing|mood\w*|emotion\w*|anger|angry|affect|hostil\w*|aggress\w*|neurot\w*|extra?v\w*|"
            r"introv\w*|conscien\w*|"
            r"agreeab\w*|self_?(?:est\w*|effic\w*|worth|control)|esteem|optimis\w*|pessimis\w*|lonel\w*|motivat\w*|"
            r"enjoy\w*|interest(?:ed)?|"
            r"burn_?out|values|moral\w*|sincer\w*|personality|temperament|likert\w*|like[ds]?|liking|dislike\w*|responses?|resp|choice|chosen|abort\w*|"
            r"rank(?:ed|ing)_\w+|"
            r"partei\w*|meinung\w*|wahl\w*|zufrieden\w*|opinion\w*|voto\w*|satisfac\w*|croyan\w*|confianza|fiducia|"
            r"lebenszufrieden\w*|vertrauen\w*|einstellung\w*|confiance\w*|bonheur|bienestar|felicidad|partido\w*|ideolog\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        MONEY,
        _words(
            r"\w*wages?|\w*salar\w*|sal|\w*income\w*|\w{0,5}inc(?:sq|r)?|\w*earn(?:s|ings?)?|pay|payroll|bonus|stock_option\w*|"
            r"(?:hourly|daily|monthly)_rate|\w*hike|\w*debts?|\w*assets?|wealth|net_?worth|net\w?fa|credit|card|\w*cards|"
            r"limit|loans?|"
            r"mortgages?|default\w*|delinq\w*|benefits?|\w*insur\w*|medicaid|medicare|hmo|pay[eo]r\w*|pension|\w{0,2}401k|"
            r"p?ira|"
            r"tax(?:es)?|pov(?:erty|pip)?|poor|free_?\w*|private|welfare|\w*expend\w*|expens\w*|spend\w*|savings?|balance|"
            r"[ph]?incp|\w*inc\w*_(?:dec|quint|quart)ile|amount|\w*am(?:n|oun)?ts?|fees?|tips?|donat\w*|ltv|dti|fico|"
            r"\w+_ratio|interest_rate|"
            r"int_rate|(?:sub|credit|loan)_grade|den(?:y|ied|ial)|bankrupt\w*|arrears|repa(?:y\w*|id)|invest\w*|stocks|"
            r"budget|ses|einkuenfte|bezuege|steuern?|impuesto\w*|kredit\w*|credito\w*|hipotec\w*|hypothek\w*|patrimoine|"
            r"patrimonio|ersparn\w*|epargne|ahorro\w*|ausgaben|depenses?|gastos?|versicherung\w*|seguros?|argent|dinero|"
            r"socio_?econ\w*|take_?up\w*|(?:un)?insured|coverage|premium|food_?stamps?|afdc|snap|ssi|profits?|sales|"
            r"revenues?|gehalt|lohn|"
            r"\w*einkommen|schulden|vermoegen|rente|salaires?|revenus?|dettes?|impots?|sueldos?|salario|ingresos?|deudas?|"
            r"reddito|stipendio|renda|"
            r"hh?_?inc\w*|(?:fam|fm|hh|ln?_?hh|house)\w{0,4}_?(?:inc|exp(?:end|$)|wealth|asset)\w*|"
            r"real_?(?:earn\w*|inc\w*|wage\w*)|re_?7\d|ln?_?w(?:g|ages?)?|ui|rr|"
            r"\w*costs?|costs?_\w+|cash\w*|money|price_paid|payments?|paid|bills?|tuition|scholar\w*|aid|grants?|subsid\w*|"
            r"transfers?|remit\w*|inherit(?:ance)|econ|econ_\w+|hardship\w*|financ\w*|fin_\w+|"
            r"(?:credit|payment|loan|mort\w*)_?hist\w*|[cmp]?hist(?:ory)?|"
            r"[hpl]v?_?i?rat(?:io)?|lvrat|utili[sz]ation|foreclos\w*|collateral|wtp|bids?|lotter\w*|winnings?|ira|"
            r"annuit\w*|purchas\w*|wealthy"
        ),
    ),
    NameRule(
        SENSITIVE,
        "health",
        _words(
            r"disease\w*|diagnos\w*|dx|icd|conditions?|problems?|\w*ill(?:ness\w*)?|sick\w*|symptom\w*|hiv\w*|aids|"
            r"\w*cancer\w*|"
            r"tumou?r\w*|stroke|diabet\w*|hypertens\w*|high_?bp|angina|asthma\w*|depress\w*|anxi\w*|mental\w*|psych\w*|"
            r"disab\w*|"
            r"handicap\w*|\w*injur\w*|\w*infect\w*|\w*pain\w*|cough\w*|fever|pregnan\w*|gestation|premature|premie|"
            r"\w*health\w*|hlth\w*|"
            r"\w?chronic\w*|allerg\w*|treatment\w*|therap\w*|medic(?:ation|ine)s?|drugs?|surg\w*|operation|transplant\w*|"
            r"chemo\w*|"
            r"radiolog\w*|hormon\w*|vaccin\w*|emergency|hospitali[sz]\w*|\w*visits|death|dead|die[ds]|deceased|mortality|"
            r"surviv\w*|alive|vital\w*|outcomes?|relaps\w*|remission|recur\w*|progress(?:ion|ed)|improved|"
            r"respon(?:se|der|ded)|adverse|"
            r"complicat\w*|comorbid\w*|futime|fu_?(?:time|days|years?)|follow_?up\w*|censor\w*|cens(?:ored)?|"
            r"\w*sever(?:e|ity)|inj|"
            r"(?:doc|hosp|pharm?|phys\w*|er|gp)\w{0,6}vis\w*|(?:t|time_?)_?(?:start|stop)|"
            r"obes\w*|overweight|\w*aches?|migrain\w*|seizure\w*|epilep\w*|fractur\w*|lesions?|rash|itch\w*|ulcer\w*|"
            r"bleed\w*|"
            r"h(?:a?e)morr\w*|o?edema|ascites|\w+(?:itis|osis|(?<!acad)(?<!boh)emia|pathy|uria|ectomy|plegia|algia)|"
            r"\w{3,}(?<!dipl)(?<!oklah)oma|dement\w*|"
            r"alzheim\w*|parkins\w*|schizo\w*|bipolar|autis\w*|suicid\w*|sleep\w*|slp\w*|stress\w*|fatigue\w*|qol|menopaus\w*|"
            r"menarche|"
            r"miscarr\w*|induced|spontaneous|stillb\w*|apgar|breast_?fe\w*|lactat\w*|steroids?|antibiot\w*|aspirin|"
            r"statins?|dos(?:e|es|age)|"
            r"conc(?:entration)?|dialysis|biops\w*|histol\w*|krank\w*|diagnose|maladie|sante|enfermedad|salud|malattia|"
            r"doenca|salute|saude|"
            r"gesund\w*|krebs|schmerz\w*|behinder\w*|schwanger\w*|impf\w*|pflege\w*|sante_\w+|handicape?e?|douleur\w*|grossesse|"
            r"enferm\w*|discapac\w*|dolor\w*|embaraz\w*|vacun\w*|"
            r"behandlung|traitement|tratamiento|medikament\w*|tod|deces|muert\w*|\w*hlth\w*|\w*disease\w*|"
            r"hist(?:ory)?_?of\w*|fam\w*_?hist\w*|"
            r"diag_?\w*time|cell_?types?|surv|surv_\w+|surv_?time|karno\w*|cause|case_?control|ae|sae|adr|toxic\w*|"
            r"nausea\w*|vomit\w*|"
            r"diarr\w*|dizz\w*|insomn\w*|snor\w*|apnea|hear(?:ing)?|vision|blind\w*|deaf\w*|eye_?sight|acuity|refract\w*|"
            r"glasses|"
            r"adl\w*|iadl|mobility|frail\w*|fall(?:s|en)|phys(?:ical)?_?(?:lim\w*|func\w*|health)|func(?:tion(?:al|ing)?)?|"
            r"rehab\w*|amput\w*|"
            r"d(?:ear|eye|phy|rem|ddrs|out|vet|ratx?)|bdi|beck|cesd?|phq\w*|gad\w*|ham_?[da]|hamd|hdrs|madrs|mmse?|moca|"
            r"panss|ghq|stai|pss|nihss|"
            r"sofa|gcs|asa|sf_?36|sf_?12|eq_?5d\w*|womac|vas|ybocs|adhd|ptsd|ocd|trauma\w*|abuse|neglect|distress\w*|grief|"
            r"self_?harm|"
            r"menstru\w*|ovul\w*|fetal|foetal|neonat\w*|birth_?defect\w*|preterm|nicu|icu|ventilat\w*|intubat\w*|sepsis|"
            r"septic|shock|"
            r"mening\w*|pneum\w*|tb|malaria\w*|measles|polio|cholera|hep(?:at\w*|_?[abc])?|hpv|hsv|herpes|syphilis|"
            r"gonorr\w*|chlamyd\w*|sti|covid\w*|flu|influenza|"
            r"leuk\w*|lymph\w*|melan\w*|myel\w*|thick(?:ness)?|ulcer\w*|metast\w*|invas\w*|obstruct\w*|perfor\w*|recurrent|"
            r"tumor_?\w*|node_\w+|"
            r"pgr|her_?2|meno|marker\w*|gen(?:e|otype|etic)s?|mutat\w*|mutant|fam_?hx|hx|hx_\w+|\w+_hx|proc(?:edure)?s?|allele\w*|apoe\w*|cyt\w*|karyo\w*|"
            r"chf|cad|cvd|copd|ckd|htn|dm|afib|cabg|pci|stent|angio\w*|arrhyth\w*|infarct\w*|isch\w*|thromb\w*|embol\w*|"
            r"varic\w*|"
            r"an(?:a)?emi[ac]\w*|cirrh\w*|jaundice|hernia|gall\w*|kidney\w*|renal|liver|lung\w*|pulm\w*|thyroid\w*|"
            r"prostat\w*|breast|ovar\w*|uter\w*|cerv\w*|"
            r"arthr\w*|osteo\w*|rheum\w*|lupus|psor\w*|eczema|acne|dermat\w*|dental|dent\w*|caries|gum|plaque|teeth|tooth|"
            r"side_?eff\w*|efficacy|cure[ds]?|heal(?:ed|ing)|recover\w*|resist\w*|sensitiv\w*|exposure\w*|expos(?:ed)?|"
            r"dosing|titer|titre|"
            r"analg\w*|anesth\w*|anaesth\w*|opiates?|sedat\w*|antidep\w*|insulin_?\w*|beta_?block\w*|diuret\w*|"
            r"placebo_?resp\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "health",
        _words(
            r"blood\w*|bp|sys(?:tolic|bp)|dia(?:stolic|bp)|pulse|heart\w*|chol(?:est\w*)?|hdl|ldl|triglyc\w*|glu(?:cose)?|"
            r"hba1c|"
            r"insulin|bili(?:rub\w*)?|albumin|creat(?:inine)?|platelets?|ha?emoglobin|hgb|hb|ha?ematocrit|hct|leu[ck]o\w*|"
            r"[wr](?:b|c)c|neutro\w*|"
            r"lympho?\w*|cd[48]\d*|vir(?:us|al)\w*|serum\w*|plasma\w*|urin\w*|uric\w*|urea|bun|sodium|potassium|calcium|"
            r"iron|copper|ferr(?:itin)?|"
            r"proteins?|prothrom\w*|protime|alk_?phos\w*|ast|alt|sgot|sgpt|ldh|crp|psa|tsh|estr\w*|testost\w*|antibod\w*|"
            r"antigen\w*|"
            r"fev\d?|fvc|spo2|temp(?:erature)?|resp(?:iratory)?_rate|ecg|ejection\w*|skin_?fold\w*|"
            r"nodes?|stage|metasta\w*|gleason\w*|karnof\w*|ecog|nyha|apache\w*|esr|[sd]bp\d*|rhr|heart_?rate|puls\w*|"
            r"beats?|rr_?interval|qt\w*|"
            r"lvef|ef|trigs?|trigl\w*|tg|tc|lipid\w*|lp_?a|apo_?[ab]\w*|gluc\w*|fbs|ogtt|a1c|hb_?a1c|homa\w*|ldl_?\w*|"
            r"hdl_?\w*|tchol\w*|"
            r"alb|alp|alkphos|ggt|bil|tbil|scr|e?gfr|phos\w*|mg_?dl|co2|ph|pco2|po2|pa_?o2|fio2|o2_?sat|sat_?o2|lactate|"
            r"wbc_?\w*|plt|inr|ptt|fibrin\w*|d_?dimer|troponin\w*|bnp|vit(?:amin)?_?[abcdek]\d*|vitamin\w*|folate|b12|zinc|"
            r"selen\w*|mercury|cotinine|"
            r"igg?[aegm]|ige|il_?\d+|tnf\w*|cytok\w*|complement|mcv|mch|rdw|retic\w*|t_?cells?|b_?cells?|cortisol|igf\w*|"
            r"leptin|adipo\w*|progest\w*|lh|fsh|hcg|"
            r"body_?fat\w*|fat_?mass|lean\w*|bmd|bone\w*|dxa|vo2\w*|peak_?flow|pef\w*|spiro\w*|eeg|mri|pet_?\w*|"
            r"volume_?\w*|"
            r"tension|blutdruck|presion\w*|glicemia|colesterol|puls\w*"
        ),
    ),
    NameRule(
        SENSITIVE,
        "health",
        re.compile(
            r"^(?:y|[a-z]?status|[a-z]{0,4}stat|events?|base(?:line)?|delta|censr?d?|dead\d?|dth|fail)$"
        ),
    ),
    NameRule(
        QUASI,
        "relatives and neighbours know it",
        _words(
            r"marit\w*|mar(?:it)?status|\w*marr(?:y|ied|iage)?|maried|spouse\w*|wife\w*|husb\w*|\w*child\w*|\w*kids?|"
            r"siblings?|"
            r"fam\w*|fsize|hh\w*|household\w*|num_?dep\w*|depend[ea]nts?|parity|gravid\w*|n?preg|moth\w*|fath\w*|mom|dad|"
            r"parent\w*|"
            r"sibs?|sisters?|brothers?|twins?|zygosity|m(?:ar)?_?stat(?:us)?|marst|mar|msp|noc|npf|adults|"
            r"divorc\w*|widow\w*|cohab\w*|single|religion|catholic|protest\w*|jewish|muslim|faith|denomination|"
            r"familienstand|kinder|"
            r"enfants|hijos|hijas|estado_civil|filhos|figli|l?fam\w*|head|head_of\w*|birth_?order|first_?born|eldest|"
            r"engaged|partner(?:ed)?|"
            r"liv\w*_(?:with|alone)|alone|orphan\w*|grand\w*|relation\w*|kin|livch\w*|h_?size|ehe\w*|ledig|verheiratet|"
            r"matrimon\w*|celib\w*|haushalt\w*|geschwister|mutter|vater|verwitwet|geschieden|menage|conjoint\w*|frat?rie|"
            r"mere|pere|veufs?|veuves?|hogar\w*|conyuge|pareja|hermanos?|madre|padre|casad[oa]|solter[oa]|viud[oa]"
        ),
    ),
    NameRule(
        QUASI,
        "who meets the person sees it",
        _words(
            r"age(?!n)\w*|[fmh]age|ages|sex|gender|male|female|race\w*|racial|rac\dp|ethn?\w*|black\w*|white\w*|hisp\w*|"
            r"latin[aox]|asian|"
            r"\w*white|\w*black|minority|afam|caucasian|african\w*|ancestry|fml|females?|fem|males?|beauty|attractive\w*|"
            r"(?:eye|hair|skin)_?colou?r|hand(?:ed(?:ness)?)?|bsa|waist\w*|colou?r|\w*birth\w*|\w*born\w*|dob|yob|"
            r"(?:\w+_)?height\w*|r?e?p?ht|hgt\w*|(?:\w+_)?weight\w*|repwt|wgt|b?wt(?:kg|lbs)?|\w*wght\w*|\w*bmi|hips?|"
            r"wrist|ankle|neck|chest|thigh|tall|stature|"
            r"left_?hand\w*|(?:w|wr|write|writing)_?(?:hnd|hand)|demo(?:g\w*)?|beard|tattoo\w*|glasses|build|eta|idade|"
            r"sesso|groesse|gewicht|poids|taille|altura|estatura|peso|altezza|generation|brn\w*|alter|geschlecht|geb|"
            r"geburt\w*|sexe|\w*naissance|edad|sexo|\w*nacimiento|gndr|jahrgang|hautfarbe|ethnie|etnia|raza|annee_naiss\w*"
        ),
    ),
    NameRule(
        QUASI,
        "it is in a curriculum vitae",
        _words(
            r"\w*(?<!r)educ\w*|\w?edu|ed|\w?school\w*|schl|sch\w?typ\w*|yrs?_?(?:ed|sch)\w*|colleg\w*|coll|universit\w*|"
            r"\w*degree|grade|"
            r"p?class|student|teacher|major|gradu\w*|hs|hs_?grad\w*|freshm[ae]n|frosh|soph\w*|junior|semester|courses?|"
            r"credits|"
            r"discipline|division|prog(?:ram)?|athlet\w*|sports?|attend(?:s|ance)?|absen\w*|days_?absent|tot_?hrs|prestige|"
            r"literacy|diplom\w*|"
            r"out_?work\w*|occ\w*|\w*jobs?|job\w*|w(?:or|r)k\w*|[mfhwqnps]?emp(?!t)\w*|industr\w*|indp?|sector|union|"
            r"tenure|expe?r\w*|wexp|ln?_?h(?:ou)?rs?|\w*wrk|posit|div|calculus|study|study_\w+|took_\w+|hours|hrs\w*|"
            r"self\w*|manager\w*|supervis\w*|farm(?:er|s|ing)?|manuf\w*|constru\w*|services?|trade|profession\w*|position|"
            r"rank|team|"
            r"department|dept|\w*compan\w*|firm\w*|retired?|unemp\w*|senior\w*|(?:years|yrs)_\w+|\w+_(?:years|yrs)|career|"
            r"attrition|business\w*|over_?time|training\w*|military|veteran|schule|bildung|beruf\w*|arbeit\w*|"
            r"ecole|metier|escuela|estudios|empleo|ocupacion|ausbildung|abschluss|etude\w*|emploi\w*|profesion|trabajo|"
            r"isced\w*|isco\w*|nace\w*|naics\w*|erwerb\w*|branche|arbeitslos\w*|teilzeit|vollzeit|studium|schulabschl\w*|"
            r"diplome?|niveau_\w+|chom(?:age|eur)\w*|temps_partiel|csp|nivel_\w+|escolaridad|desempleo|jornada|puesto|"
            r"edu\w*|yrs?_?educ\w*|\w*qualific\w*|certif\w*|"
            r"first_?gen\w*|licen[cs]e\w*|\w+_licen[cs]e|\w*students?|(?:full|part)_?time|ftp?t?|contract\w*|shifts?|"
            r"commut\w*|pub\w*_?emp\w*|u(?:n)?emp\w*|layoff\w*|laid_?off|"
            r"employ(?:ed|er|ment|ee)\w*|labou?r\w*|lfp|inlf|search|spells?|jobless|govt|public_sector|works|worker\w*|"
            r"wrk\w*|blue_?coll\w*|white_?coll\w*|clerical|techn\w*|faculty|instructor|lecturer|"
            r"tenured?|phd|yrs_since\w*|service|seniority|league|club|squad|player\w*|coach\w*|games?_?played|gp|draft\w*|"
            r"rookie|kindergarten|preschool|"
            r"head_?start|track|stream|section|homeroom|grade_?level|yr_?in_?sch\w*|fresh\w*"
        ),
    ),
    NameRule(
        QUASI,
        "it tells where a person lives or is from",
        _words(
            r"zip\w*|post(?:al|code|al_?code)|city\w*|urban|rural|s?msa\w*|metro\w*|count(?:y|ry)\w*|state(?!ment)\w*|"
            r"region\w*|nation\w*|"
            r"addr(?:ess)?(?:_\w+)?|native\w*|citizen\w*|\w*migra\w*|foreign\w*|lang\w*|place|residen\w*|home_?town|"
            r"vill\w*|dist\w*|"
            r"\w*precinct|neighbo\w*|borough|commune|municip\w*|province|north\w*|south\w*|east\w*|west\w*|lat|latitude|"
            r"long|lng|"
            r"longitude|location|electric\w*|internet|computer|condo\w*|dwelling\w*|apartment|rooms?|bedrooms?|urb|"
            r"population|"
            r"\w*rural|\w*urban|\w*city|town\w*|suburb\w*|island|continent|inner_?city|hometown|visa|passport|ethnolang|"
            r"dialect|"
            r"puma|\w*area\w*|homeless|home|hous\w*|own(?:er|ed|s)?|rent|cars?|vehicle\w*|bicycle|radio|tv|plz|ort|wohnort|"
            r"land|bundesland|ville|departement|pays|ciudad|provincia|pais|"
            r"gemeinde\w*|\w*kreis|bezirk|stadt\w*|strasse|staatsangeh\w*|herkunft\w*|geburtsort|lieu\w*|canton\w*|arrondiss\w*|"
            r"quartier|insee\w*|municipio|comunidad|distrito|barrio|domicil\w*|lugar\w*|nuts\w*|lau|fips\w*|[lm]soa\w*"
        ),
    ),
    NameRule(
        QUASI,
        "who was there knows it",
        _words(
            r"dates?|\w*_date|day|months?|year\w*|\w*yr|yr\w*|season|admi(?:t|ss)\w*|discharg\w*|hospital|clinic\w*|ward|"
            r"judges?|officers?|interviewers?|attending|physicians?|doctors?|nurses?|surgeons?|\w*provider|prov_?num\w*|"
            r"los|entry|entr(?:ance|ant)|arriv\w*|depart(?:ure|ed)|seat_?belt\w*|air_?bag\w*|helmet\w*|speed|inw\w*|"
            r"weekday|weekend|hour|"
            r"quarter|survey_?(?:year|date)|enrol\w*|patient_class|cent(?:er|re)|site|inst(?:itution)?|interview\w*|"
            r"embarked|cabin|ticket|deck|origin|dest\w*|carrier|flight|datum|\w+datum|jahr|monat|annee|mois|fecha|"
            r"tag|woche|quartal|jour|semaine|trimestre|anio|mes|semana|fecha_\w+|date_\w+|aufnahme|entlassung"
        ),
    ),
)
"""The rules, those of sensitive attributes before those of quasi-identifiers: `school_score` is a score."""


_THING = (
    r"(?:clinic|hospital|school|company|firm|employer|department|team|store|shop|branch|bank|product|brand|drug|city|country|"
    r"county|state|region|street|file|table|column|plan|group|test|ward|center|centre|site|class|village|town|district|"
    r"area)"
)
OF_A_THING = _words(rf"{_THING}_name")
"""Names of columns with names that are not those of a person."""
KEY_OF_A_THING = re.compile(rf"(?:.*_)?{_THING}_?(?:id|no|nr|num|number|key|code)")
"""Names of keys of a place or an institution, which many people share: they say where somebody is, and count nobody."""

DERIVED = re.compile(
    r"(?:ln|log|sqrt)_?(?P<of>\w{3,})|(?P<of_groups>\w{3,}?)_?(?:cat|gro?u?p|sq|fac(?:tor)?)"
)
"""Names of a logarithm, a root, a square, groups or categories of another column."""


FREE_TEXT = re.compile(
    r"(.*_)?(remarks?|comments?|notes?|memos?|free_?text|narrative|bemerkung(en)?|anmerkung(en)?|kommentare?|notiz(en)?|freitext|"
    r"remarques?|commentaires?|comentarios?|observaciones|osservazioni|opmerking(en)?|uwagi)(_.*)?"
)
"""Names of columns in which people write what they want, other people's names too."""
SHORTEST_ENDING = 4
"""The fewest letters of an ending that is read as a word: shorter ones end other words by chance."""
BY_CHANCE = re.compile(
    r"research\w*|candidate|update|mandate|validate|terrace|embrace|brace|oklahoma|academia|encyclopa?edia"
)
"""Words that end in another word, and are not made of it."""

TIME = re.compile(r"(?P<of>\w*?)_?(?:time|days|weeks|months)|t|\w+_t")
EVENT = re.compile(r"(?P<of>\w*?)_?(?:status|stat|event|cens\w*|fail\w*)")


def is_time_to_event(name: str, others: Collection[str]) -> bool:
    """Whether another column says what happened at the time that a column has: survival data have such pairs.

    >>> is_time_to_event("prtime", ("prstat", "age")), is_time_to_event("time", ("sex", "age"))
    (True, False)
    >>> is_time_to_event("height", ("status", "age")), is_time_to_event("t", ("status", "age"))
    (False, True)
    """
    time = TIME.fullmatch(name)
    events = filter(None, map(EVENT.fullmatch, others))
    return time is not None and any(each["of"] in {"", time["of"]} for each in events)


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
    if found is None and FREE_TEXT.fullmatch(name) is None:
        return _rule_of_ending(name)
    return found


def _rule_of_ending(name: str) -> NameRule | None:
    """Return the rule of the longest ending of a word that is a word itself, as of two words written together.

    >>> [rule_of(each).about for each in ("otherrace", "appdate_2")], rule_of("xyzab")
    (['who meets the person sees it', 'who was there knows it'], None)
    >>> rule_of("candidate") is rule_of("terrace") is None
    True
    """
    for word in reversed(re.findall(r"[^\W\d_]+", name)):
        if BY_CHANCE.fullmatch(word):
            continue
        for start in range(2, len(word) - SHORTEST_ENDING + 1):
            for rule in RULES:
                if rule.pattern.fullmatch(word[start:]):
                    return rule
    return None
