{#
  The release by the classes that fit, of one set of quasi-identifiers, whose values are counted in the cheapest way
  that is exact: half of what COUNT(DISTINCT) of every class and a join by all columns cost.

  Each value of a class falls into one of some buckets by its hash. Values in n buckets are n values or more, so that a
  class with enough buckets has enough values, at the cost of one bit each; the few classes with too few buckets are
  counted again, value by value. Rows are then looked up by the hash of their class. Classes that share a hash
  are released together or not at all: a hash fits where all classes of it do, so that no guarantee rests on it.
#}
{% macro bucketed(relation, chosen) -%}
{%- set model = chosen.models[0] -%}
{%- set class = kanon.quoted(model.over) -%}
{{ kanon.header(chosen) }}
with

recoded as materialized (

    select *, {{ kanon.hash_of(model.over) }} as kanon_class
    from (
        {{ kanon.recoded(relation, chosen) | indent(8) }}
    ) as labeled

),

classes as materialized (

    select
        kanon_class,
        count(*) as kanon_rows,
        {{ kanon.surely_fits(chosen, model) | join('\n            and ') }} as kanon_fits
    from recoded
    group by kanon_class, {{ class }}

),

{# UNION ALL would be estimated as larger than the rows, which are then looked up instead of looking up. -#}
fitting as (

    select kanon_class
    from classes
    group by kanon_class
    having bool_and(kanon_fits)

    union

    select kanon_class
    from (
        select
            kanon_class,
            {{ kanon.counted_to_fit(chosen, model) | join('\n                and ') }} as kanon_fits
        from recoded
        where kanon_class in (select kanon_class from classes where not kanon_fits and kanon_rows >= {{ kanon.least_rows(model) }})
        group by kanon_class, {{ class }}
    ) as counted
    group by kanon_class
    having bool_and(kanon_fits)

)

select
    {{ kanon.released_columns(chosen) | indent(4) }}
from recoded
where kanon_class in (select kanon_class from fitting)
{%- endmacro %}


{# The most rows that any of the models asks of a class: each of its values has one. #}
{% macro least_rows(model) %}
{{ return([model.k or 1, model.distinct_l.values() | max | default(1, true)] | max) }}
{% endmacro %}


{# Conditions that only classes satisfy that fit; none where classes are not counted by buckets: on databases whose
   hash is not known to be the same for equal values, of types that the plan does not vouch for, or for bounds so
   large that as many buckets would cost more than they save. #}
{% macro surely_fits(chosen, model) %}
{%- set conditions = [] -%}
{%- set counted = (model.k and chosen.entity) or model.distinct_l -%}
{%- if chosen.by_buckets and counted and kanon.least_rows(model) <= 256 and kanon.hash_of(['kanon_entity']) is not none -%}
{%- if model.k -%}
{%- do conditions.append(kanon.buckets('kanon_entity', model.k) if chosen.entity else 'count(*) >= ' ~ model.k) -%}
{%- endif -%}
{%- for column, l in model.distinct_l.items() -%}
{%- do conditions.append(kanon.buckets(column, l, chosen.sensitive_nulls == 'value')) -%}
{%- endfor -%}
{%- endif -%}
{{ return(conditions) }}
{% endmacro %}


{# Whether the values of a column fall into so many buckets; NULL is a value or is not counted. #}
{% macro buckets(column, least, with_null=false) %}
{%- set own, hashed, found = kanon.quote(column), kanon.hash_of([column]), [] -%}
{%- set words = ((least + 31) / 32) | round(0, 'floor') | int -%}
{%- for word in range(words) -%}
{%- set chosen = [] if with_null else [own ~ ' is not null'] -%}
{%- if words > 1 -%}
{%- do chosen.append('((' ~ hashed ~ ' >> 6) & 1023) % ' ~ words ~ ' = ' ~ word) -%}
{%- endif -%}
{%- do found.append(kanon.bits(hashed, chosen | join(' and ') or 'true')) -%}
{%- endfor -%}
{{ return(found | join(' + ') ~ ' >= ' ~ least) }}
{% endmacro %}


{# A hash of some columns, the same for values that are grouped as one; none where that is not known. #}
{% macro hash_of(columns) %}
{{ return(adapter.dispatch('hash_of', 'kanon')(columns)) }}
{% endmacro %}

{% macro default__hash_of(columns) %}
{{ return(none) }}
{% endmacro %}

{% macro duckdb__hash_of(columns) %}
{{ return('hash(' ~ kanon.quoted(columns) ~ ')') }}
{% endmacro %}

{% macro postgres__hash_of(columns) %}
{{ return('hash_record_extended(row(' ~ kanon.quoted(columns) ~ '), 0)') }}
{% endmacro %}

{# dbt takes Redshift for a kind of PostgreSQL. #}
{% macro redshift__hash_of(columns) %}
{{ return(none) }}
{% endmacro %}


{# How many of 64 buckets are taken by the hashes of the rows that satisfy a condition. #}
{% macro bits(hashed, condition) %}
{{ return(adapter.dispatch('bits', 'kanon')(hashed, condition)) }}
{% endmacro %}

{% macro duckdb__bits(hashed, condition) %}
{{ return('coalesce(bit_count(bit_or(case when ' ~ condition ~ ' then 1::ubigint << (' ~ hashed ~ ' & 63) end)), 0)') }}
{% endmacro %}

{% macro postgres__bits(hashed, condition) %}
{{ return('coalesce(bit_count(bit_or(case when ' ~ condition ~ ' then 1::bigint << (' ~ hashed ~ ' & 63)::int end)::bit(64)), 0)') }}
{% endmacro %}
