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
