{#
  The rows of a relation as a committed plan releases them: quasi-identifiers at the plan's levels,
  without identifying columns, and without classes that do not satisfy the plan's privacy models.

  The classes are counted where the model runs, so that the guarantee holds for the rows that the source has
  then. Rows are released in a random order, because the order of the source could identify people.
  With `loaded_at`, for incremental models: see kanon.increments.
#}
{% macro anonymize(relation, plan, loaded_at=none) %}
{%- set chosen = kanon.plan(plan) -%}
{%- do kanon.refuse_other_sources(relation, chosen) -%}
{%- do kanon.refuse_unclassified(relation, chosen) -%}
{%- do kanon.refuse_other_hierarchies(relation, chosen) -%}
{%- do kanon.refuse_made_anew(chosen, loaded_at) -%}
{%- do kanon.refuse_pseudonyms(relation, chosen) -%}
{%- if loaded_at is not none -%}
{{ kanon.increments(relation, chosen, loaded_at) }}
{%- elif chosen.nodes -%}
{{ kanon.at_nodes(relation, chosen) }}
{%- elif kanon.groups(chosen) and kanon.surely_fits(chosen, chosen.models[0]) -%}
{{ kanon.bucketed(relation, chosen) }}
{%- elif kanon.groups(chosen) -%}
{{ kanon.grouped(relation, chosen) }}
{%- else -%}
{{ kanon.header(chosen) }}
with

recoded as (

    {{ kanon.recoded(relation, chosen) | indent(4) }}

),

{{ kanon.passes(chosen) }}

select
    {{ kanon.released_columns(chosen) | indent(4) }}
from {{ 'settled' if chosen.models | length > 1 else 'counted' }}
where {{ 'kanon_short = 0' if chosen.models | length > 1 else kanon.fits(chosen.models[0]) }}
{%- endif %}
order by {{ kanon.random() }}{{ kanon.fence() }}
{% endmacro %}


{# Whether classes are counted by GROUP BY, which costs less than windows: of one set of quasi-identifiers, without
   alpha, where the database promises to evaluate the recoded rows once. Were they evaluated twice, the rows that are
   released could be others than those that were counted. #}
{% macro groups(chosen) %}
{{ return(chosen.models | length == 1 and not chosen.models[0].alpha and kanon.evaluates_once()) }}
{% endmacro %}


{# The release by the classes that fit: those of one set of quasi-identifiers. #}
{% macro grouped(relation, chosen) -%}
{%- set model, same = chosen.models[0], [] -%}
{%- for name in model.over -%}
{%- set own = kanon.quote(name) -%}
{%- do same.append(kanon.same('fitting.' ~ own, 'recoded.' ~ own)) -%}
{%- endfor -%}
{{ kanon.header(chosen) }}
with

recoded as materialized (

    {{ kanon.recoded(relation, chosen) | indent(4) }}

),

fitting as (

    select {{ kanon.quoted(model.over) }}
    from recoded
    group by {{ kanon.quoted(model.over) }}
    having {{ kanon.counted_to_fit(chosen, model) | join('\n        and ') }}

)

select
    {{ kanon.released_columns(chosen) | indent(4) }}
from recoded
where exists (
    select 1
    from fitting
    where {{ same | join('\n        and ') }}
)
{%- endmacro %}


{# When the rows of a class fit, by aggregates of the class. #}
{% macro counted_to_fit(chosen, model) %}
{%- set conditions = [] -%}
{%- if model.k -%}
{%- do conditions.append(kanon.class_size('kanon_entity' if chosen.entity else none) ~ ' >= ' ~ model.k) -%}
{%- endif -%}
{%- for column, l in model.distinct_l.items() -%}
{%- do conditions.append(kanon.distinct_values(column, chosen.sensitive_nulls) ~ ' >= ' ~ l) -%}
{%- endfor -%}
{{ return(conditions) }}
{% endmacro %}


{#
  Counts the classes. Where the policy names several sets of quasi-identifiers, suppressing a class of one set
  removes rows from classes of the others: classes are suppressed in as many passes as the plan needed, and where
  classes still fall short after that, no row is released at all.
#}
{% macro passes(chosen) -%}
{%- if chosen.models | length == 1 -%}
{{ kanon.counted(chosen, chosen.models, 'recoded') }}
{%- else -%}
{%- for n in range(1, chosen.passes + 1) -%}
{{ kanon.counted(chosen, chosen.models, 'recoded' if loop.first else 'kept_' ~ (n - 1), '_' ~ n) }},

kept_{{ n }} as (

    select
        {{ kanon.released_columns(chosen) | indent(8) }},
        kanon_entity
    from counted_{{ n }}
    where {% for model in chosen.models %}{{ kanon.fits(model, loop.index) | indent(8) }}{{ '\n        and ' if not loop.last }}{% endfor %}

),

{% endfor -%}
{{ kanon.counted(chosen, chosen.models, 'kept_' ~ chosen.passes) }},

settled as (

    select
        *,
        max(
            case
                when {% for model in chosen.models %}{{ kanon.fits(model, loop.index) | indent(20) }}{{ '\n                    and ' if not loop.last }}{% endfor %}

                    then 0
                else 1
            end
        ) over () as kanon_short
    from counted

)
{%- endif -%}
{%- endmacro %}


{# Stops a run that would read texts as values which the plan reads as NULL: those of another relation than the plan's own. #}
{% macro refuse_other_sources(relation, chosen) %}
{%- if execute and chosen.source -%}
{%- set own = chosen.source.split("'")[1] -%}
{%- if own not in model.refs | map(attribute='name') or relation | string != kanon.relation(chosen.source) | string -%}
{{ exceptions.raise_compiler_error(
    "plan " ~ chosen.hash[:12] ~ " reads texts that stand for a missing value as NULL: say kanon.anonymize(ref('"
    ~ own ~ "'), ...), the model that has them so"
) }}
{%- endif -%}
{%- endif -%}
{% endmacro %}


{# Stops a run whose source has unclassified columns, or lacks classified ones, before anything is written. #}
{% macro refuse_unclassified(relation, chosen) %}
{%- if execute and flags.WHICH in ('run', 'build') -%}
{%- set faults = kanon.column_faults(relation, chosen.columns | map(attribute='name') | list) -%}
{%- if faults -%}
{%- set described = [] -%}
{%- for name, what in faults -%}
{%- do described.append(name ~ ' ' ~ what) -%}
{%- endfor -%}
{{ exceptions.raise_compiler_error(
    "the source is not the one that plan " ~ chosen.hash[:12] ~ " was made for: " ~ described | join(', ')
    ~ "; say what they are, and plan again"
) }}
{%- endif -%}
{%- endif -%}
{% endmacro %}


{# Stops a run where a column and its hierarchy have different types: a database that casts one to the other
   would print a value that it cannot cast in its error. #}
{% macro refuse_other_hierarchies(relation, chosen) %}
{%- if execute and flags.WHICH in ('run', 'build') -%}
{%- set own, faults = kanon.types(relation), [] -%}
{%- for column in chosen.columns if column.hierarchy and not column.by_text -%}
{%- if not kanon.of_one_type(own, column.name, kanon.relation(column.hierarchy)) -%}
{%- do faults.append(column.name) -%}
{%- endif -%}
{%- endfor -%}
{%- if faults -%}
{{ exceptions.raise_compiler_error(
    "the hierarchies of " ~ faults | join(', ') ~ " were made of other types; run their models, or plan again"
) }}
{%- endif -%}
{%- endif -%}
{% endmacro %}


{# Whether a column has the type of a hierarchy's values; true where either type is unknown. #}
{% macro of_one_type(types, column, hierarchy) %}
{%- set own = types.get(column.lower()) -%}
{{ return(kanon.types(hierarchy).get('value', own) == own) }}
{% endmacro %}


{# The types of a relation's columns; all types of texts are one. #}
{% macro types(relation) %}
{%- set found = {} -%}
{%- for column in adapter.get_columns_in_relation(relation) -%}
{%- set type = column.dtype.lower() -%}
{%- set is_text = column.is_string() or type.startswith('varchar') or type.startswith('char') -%}
{%- do found.update({column.name.lower(): 'text' if is_text else type}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}


{# The first line of the compiled SQL: the guarantee and the plan. #}
{% macro header(chosen) -%}
-- {{ chosen.promise }}; plan {{ chosen.hash[:12] }}, made by kanon-sql
{%- endmacro %}


{# The source with labels for values. A value that a hierarchy has no entry for, or that is longer than its mask, has no row here. #}
{% macro recoded(relation, chosen, more=none, where=none) -%}
select
{%- for column in chosen.columns if column.becomes != 'nothing' %}
{%- if column.becomes == 'labels' %}
    {{ column.alias }}.level_{{ column.level }} as {{ kanon.quote(column.name) }},
{%- elif column.levels %}
{{- kanon.levels_of(column) }}
{%- elif column.labels %}
{%- for name in column.released %}
    {{ column.alias }}.{{ column.labels[loop.index0] }} as {{ kanon.quote(name) }},
{%- endfor %}
{%- elif column.becomes == 'bounds' %}
    {{ column.alias }}.low_{{ column.level }} as {{ kanon.quote(column.name ~ '_low') }},
    {{ column.alias }}.high_{{ column.level }} as {{ kanon.quote(column.name ~ '_high') }},
{%- elif column.becomes == 'value twice' %}
    {{ kanon.own_value(column) }} as {{ kanon.quote(column.name ~ '_low') }},
    {{ kanon.own_value(column) }} as {{ kanon.quote(column.name ~ '_high') }},
{%- elif column.becomes == 'label' %}
    {{ kanon.text(column.label) }} as {{ kanon.quote(column.name) }},
{%- elif column.becomes == 'null' %}
{%- for name in column.released %}
    case when false then source.{{ kanon.quote(column.name) }} end as {{ kanon.quote(name) }},
{%- endfor %}
{%- elif column.becomes == 'pseudonym' %}
    {{ kanon.pseudonym('source.' ~ kanon.quote(column.name), kanon.key_alias(chosen, column), column.tag) }} as {{ kanon.quote(column.name) }},
{%- else %}
    {{ kanon.own_value(column) }} as {{ kanon.quote(column.name) }},
{%- endif %}
{%- endfor %}
{%- if more is not none %}
    {{ more }},
{%- endif %}
    {{ 'source.' ~ kanon.quote(chosen.entity) if chosen.entity else '1' }} as kanon_entity
from {{ relation }} as source
{{- kanon.join_regions(chosen) }}
{%- for column in chosen.columns if column.becomes != 'nothing' %}
{%- if column.hierarchy %}
{%- set own = 'source.' ~ kanon.quote(column.name) %}
{{ 'left' if column.becomes in ('value', 'value twice') else 'inner' }} join {{ kanon.entries(column) if column.by_text else kanon.relation(column.hierarchy) }} as {{ column.alias }}
    on {{ kanon.same(column.alias ~ '.value', kanon.as_text(own) if column.by_text or (column.labels and column.as_text) else own) }}
{%- if not column.by_text and not column.labels %}
    and {{ column.alias }}.level_{{ column.height }} is not null
{%- endif %}
{%- endif %}
{%- endfor %}
{{- kanon.with_keys(relation, chosen) }}
{%- set conditions = [] if where is none else [where] -%}
{%- for column in chosen.columns if column.quasi and chosen.nulls == 'refuse' -%}
{%- do conditions.append('source.' ~ kanon.quote(column.name) ~ ' is not null') -%}
{%- endfor -%}
{%- for column in chosen.columns if column.hierarchy and column.becomes in ('value', 'value twice') -%}
{%- set own = 'source.' ~ kanon.quote(column.name) -%}
{%- do conditions.append('(' ~ own ~ ' is null or ' ~ column.alias ~ '.value is not null)') -%}
{%- endfor -%}
{%- for column in chosen.columns if column.longest -%}
{%- set own = 'source.' ~ kanon.quote(column.name) -%}
{%- do conditions.append('(' ~ own ~ ' is null or length(' ~ kanon.as_text(own) ~ ') <= ' ~ column.longest ~ ')') -%}
{%- endfor -%}
{%- if conditions %}
where {{ conditions | join('\n    and ') }}
{%- endif %}
{%- endmacro %}


{# A value as it is. One stands for all that the database holds equal, or a reader could tell them apart in a class. #}
{% macro own_value(column) -%}
{%- set own = 'source.' ~ kanon.quote(column.name) -%}
{{ 'first_value(' ~ own ~ ') over (partition by ' ~ own ~ ' order by ' ~ own ~ ')' if column.in_one_form else own }}
{%- endmacro %}


{# The entries of a hierarchy that has them. A value with two entries is treated as one without any: its rows
   would be released twice, and counted twice. #}
{% macro entries(column) -%}
{%- set value, root = kanon.cell(column, 'value'), kanon.cell(column, 'level_' ~ column.height) -%}
(
    select {{ value }} as value
    {%- for n in column.levels or [column.level] if n > 0 %}, min({{ kanon.cell(column, 'level_' ~ n) }}) as level_{{ n }}{% endfor %}
    from {{ kanon.relation(column.hierarchy) }}
    group by {{ value }}
    having count(*) = 1 and min({{ root }}) is not null
)
{%- endmacro %}


{# A cell of such a hierarchy, as a text. #}
{% macro cell(column, name) %}
{%- set own = kanon.seeded(name) if column.seeded else name -%}
{{ return(kanon.as_text(own) if name == 'value' else own) }}
{% endmacro %}


{# A relation by how a model refers to it: ref('name'), or source('name', 'name'). #}
{% macro relation(reference) %}
{%- set names = reference.split("'") -%}
{{ return(ref(names[1]) if reference.startswith('ref') else source(names[1], names[3])) }}
{% endmacro %}


{# Rows, each with what is counted of its classes: sizes, and values of sensitive columns. #}
{% macro counted(chosen, models, rows, suffix='') -%}
{%- set numbers = kanon.numbers(chosen, models) -%}
{%- if numbers -%}
numbered{{ suffix }} as (

    select
        *,
        {{ numbers | join(',\n') | indent(8) }}
    from {{ rows }}

),

{% endif -%}
counted{{ suffix }} as (

    select
        *,
        {{ kanon.counts(chosen, models) | join(',\n') | indent(8) }}
    from {{ 'numbered' ~ suffix if numbers else rows }}

)
{%- endmacro %}


{# Numbers the values that are counted in each class, from 1 on: the last number is how many there are. #}
{% macro numbers(chosen, models) %}
{%- set found = [] -%}
{%- for model in models -%}
{%- set class, of = kanon.quoted(model.over), kanon.of_model(loop.index) -%}
{%- if chosen.entity and model.k -%}
{%- do found.append(
    'dense_rank() over (\n    partition by ' ~ class ~ ', case when kanon_entity is null then 1 else 0 end\n'
    ~ '    order by kanon_entity\n) as kanon_nth_entity' ~ of
) -%}
{%- endif -%}
{%- for column in model.distinct_l -%}
{%- set known = '' if chosen.sensitive_nulls == 'value' else ', case when ' ~ kanon.quote(column) ~ ' is null then 1 else 0 end' -%}
{%- do found.append(
    'dense_rank() over (partition by ' ~ class ~ known ~ ' order by ' ~ kanon.quote(column) ~ ') as kanon_nth_value_'
    ~ loop.index ~ of
) -%}
{%- endfor -%}
{%- for column in model.alpha or {} -%}
{%- do found.append(
    'count(*) over (partition by ' ~ class ~ ', ' ~ kanon.quote(column) ~ ') as kanon_value_rows_' ~ loop.index ~ of
) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}


{% macro counts(chosen, models) %}
{%- set found = [] -%}
{%- for model in models -%}
{%- set class, of = kanon.quoted(model.over), kanon.of_model(loop.index) -%}
{%- if model.k -%}
{%- set size = 'max(case when kanon_entity is not null then kanon_nth_entity' ~ of ~ ' end)' if chosen.entity else 'count(*)' -%}
{%- do found.append(size ~ ' over (partition by ' ~ class ~ ') as kanon_class_size' ~ of) -%}
{%- endif -%}
{%- for column in model.distinct_l -%}
{%- set nth = 'kanon_nth_value_' ~ loop.index ~ of -%}
{%- set known = nth if chosen.sensitive_nulls == 'value' else 'case when ' ~ kanon.quote(column) ~ ' is null then 0 else ' ~ nth ~ ' end' -%}
{%- do found.append(
    'max(' ~ known ~ ') over (partition by ' ~ class ~ ') as kanon_values_' ~ loop.index ~ of
) -%}
{%- endfor -%}
{%- for column in model.alpha or {} -%}
{%- set own = kanon.if_counted(column, chosen.sensitive_nulls, 'kanon_value_rows_' ~ loop.index ~ of) -%}
{%- do found.append('max(' ~ own ~ ') over (partition by ' ~ class ~ ') as kanon_most_frequent_' ~ loop.index ~ of) -%}
{%- set one = kanon.if_counted(column, chosen.sensitive_nulls, '1') -%}
{%- do found.append('sum(' ~ one ~ ') over (partition by ' ~ class ~ ') as kanon_valued_' ~ loop.index ~ of) -%}
{%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}


{% macro of_model(number) %}
{{ return('' if number == 1 else '_of_' ~ number) }}
{% endmacro %}


{# When a class fits, over the first set of quasi-identifiers or over another. #}
{% macro fits(model, number=1) -%}
{%- set conditions = [] -%}
{%- if model.k -%}
{%- do conditions.append('kanon_class_size' ~ kanon.of_model(number) ~ ' >= ' ~ model.k) -%}
{%- endif -%}
{%- for column, l in model.distinct_l.items() -%}
{%- do conditions.append('kanon_values_' ~ loop.index ~ kanon.of_model(number) ~ ' >= ' ~ l) -%}
{%- endfor -%}
{%- for column, bound in (model.alpha or {}).items() -%}
{%- set own = loop.index ~ kanon.of_model(number) -%}
{%- do conditions.append(kanon.share_within('kanon_most_frequent_' ~ own, 'kanon_valued_' ~ own, bound)) -%}
{%- endfor -%}
{{ conditions | join('\n    and ') }}
{%- endmacro %}


{% macro released_columns(chosen) -%}
{%- for name in chosen.released -%}
{{ kanon.quote(name) }}{{ ',\n' if not loop.last }}
{%- endfor -%}
{%- endmacro %}


{% macro quoted(names) -%}
{%- for name in names -%}
{{ kanon.quote(name) }}{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}


