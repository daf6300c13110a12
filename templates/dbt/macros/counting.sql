{#
  The classes of one set of quasi-identifiers that fit, as common table expressions.

  Distinct values of a class are counted in the cheapest way that is exact. Each value falls into one of some
  buckets by its hash: values in n buckets are n values or more, so a class with enough buckets has enough values,
  at the cost of one bit each. The few classes with too few buckets are counted value by value, where a reader
  would otherwise wait for all of them (a third of the whole release's time).
#}
{% macro fitting(chosen, model) -%}
{%- set class = kanon.quoted(model.over) -%}
{%- set exactly = kanon.counted_to_fit(chosen, model) | join('\n        and ') -%}
{%- set surely = kanon.surely_fits(chosen, model) -%}
{%- if surely -%}
{%- set hashed = kanon.hash_of(model.over) -%}
classes as materialized (

    select
        {{ class }},
        {{ hashed }} as kanon_hash,
        {{ surely | join('\n        and ') }} as kanon_fits
    from recoded
    group by {{ class }}
    having count(*) >= {{ kanon.least_rows(model) }}

),

{# UNION ALL would be estimated as larger than the rows, which are then looked up instead of looking up. -#}
fitting as (

    select {{ class }}
    from classes
    where kanon_fits

    union

    select {{ class }}
    from recoded
    where {{ hashed }} in (select kanon_hash from classes where not kanon_fits)
    group by {{ class }}
    having {{ exactly }}

)
{%- else -%}
fitting as (

    select {{ class }}
    from recoded
    group by {{ class }}
    having {{ exactly }}

)
{%- endif -%}
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
