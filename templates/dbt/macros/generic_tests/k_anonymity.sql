{#
  Every class over `columns` holds at least k rows, or k values of `entity`. NULL is a value of its own, or,
  with nulls: refuse, a fault. A failure has a hash of the class and its size, never a value.
#}
{% test k_anonymity(model, columns, k, entity=none, nulls='category') %}
select
    {{ kanon.class_hash(columns) }} as class_hash,
    {{ kanon.class_size(entity) }} as class_size,
    {{ k }} as least,
    {{ kanon.text(columns | join(', ')) }} as quasi_identifiers
from {{ model }}
group by {{ kanon.quoted(columns) }}
having {{ kanon.class_size(entity) }} < {{ k }}
{{- kanon.refused_nulls(columns, nulls) }}
{% endtest %}


{#
  Every class of the release holds k people of its source, of whom the release does not show the key: the source is
  recoded again by the plan, and counted. Other rows in a model that was edited fail. A failure has a hash of the class and its rows.
#}
{% macro k_people(released, source, plan) %}
{%- if not kanon.was_built(released) %}
select 0 as class_rows
from {{ source }}
where 1 = 0
{%- else %}
{%- set chosen = kanon.plan(plan) -%}
with

recoded as (

    {{ kanon.recoded(source, chosen) | indent(4) }}

)
{%- for counted in chosen.models if counted.k %},

fitting_{{ loop.index }} as (

    select {{ kanon.quoted(counted.over) }}
    from recoded
    group by {{ kanon.quoted(counted.over) }}
    having {{ kanon.class_size('kanon_entity') }} >= {{ counted.k }}

)
{%- endfor %}
{%- for counted in chosen.models if counted.k %}
{%- set same = [] -%}
{%- for name in counted.over -%}
{%- do same.append(kanon.same('fitting.' ~ kanon.quote(name), 'released.' ~ kanon.quote(name))) -%}
{%- endfor %}

select {{ kanon.class_hash(counted.over) }} as class_hash, count(*) as class_rows, {{ counted.k }} as least
from {{ released }} as released
where not exists (
    select 1
    from fitting_{{ loop.index }} as fitting
    where {{ same | join('\n        and ') }}
)
group by {{ kanon.quoted(counted.over) }}
{{- '\nunion all' if not loop.last }}
{%- else %}

select 0 as class_rows
from recoded
where 1 = 0
{%- endfor %}
{%- endif %}
{% endmacro %}


{% macro class_size(entity) -%}
{{ 'count(*)' if entity in (none, 'row') else 'count(distinct ' ~ kanon.quote(entity) ~ ')' }}
{%- endmacro %}


{% macro refused_nulls(columns, nulls) -%}
{%- if nulls not in ('category', 'refuse') -%}
{{ exceptions.raise_compiler_error("nulls: is category or refuse") }}
{%- endif -%}
{%- if nulls == 'refuse' -%}
{%- for column in columns %}
    or {{ kanon.quote(column) }} is null
{%- endfor -%}
{%- endif -%}
{%- endmacro %}
