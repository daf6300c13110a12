{#
  Every class over `columns` has at least l values of the `sensitive` column (distinct l-diversity). NULL, which is
  unknown, is none of them, or, with sensitive_nulls: value, one.
#}
{% test l_diversity(model, columns, sensitive, l, nulls='category', sensitive_nulls='not_counted') %}
select
    {{ kanon.class_hash(columns) }} as class_hash,
    count(*) as class_size,
    {{ kanon.distinct_values(sensitive, sensitive_nulls) }} as distinct_values,
    {{ l }} as least,
    {{ kanon.text(sensitive) }} as sensitive_column,
    {{ kanon.text(columns | join(', ')) }} as quasi_identifiers
from {{ model }}
group by {{ kanon.quoted(columns) }}
having {{ kanon.distinct_values(sensitive, sensitive_nulls) }} < {{ l }}
{{- kanon.refused_nulls(columns, nulls) }}
{% endtest %}


{% macro distinct_values(column, sensitive_nulls) -%}
{%- if sensitive_nulls not in ('not_counted', 'value') -%}
{{ exceptions.raise_compiler_error("sensitive_nulls: is not_counted or value") }}
{%- endif -%}
count(distinct {{ kanon.quote(column) }})
{%- if sensitive_nulls == 'value' %} + max(case when {{ kanon.quote(column) }} is null then 1 else 0 end){% endif %}
{%- endmacro %}
