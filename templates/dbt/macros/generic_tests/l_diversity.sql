{# Every class over `columns` has at least l values of the `sensitive` column, of which NULL is one (distinct l-diversity). #}
{% test l_diversity(model, columns, sensitive, l, nulls='category') %}
select
    {{ kanon.class_hash(columns) }} as class_hash,
    count(*) as class_size,
    {{ kanon.distinct_values(sensitive) }} as distinct_values,
    {{ l }} as least,
    {{ kanon.text(sensitive) }} as sensitive_column,
    {{ kanon.text(columns | join(', ')) }} as quasi_identifiers
from {{ model }}
group by {{ kanon.quoted(columns) }}
having {{ kanon.distinct_values(sensitive) }} < {{ l }}
{{- kanon.refused_nulls(columns, nulls) }}
{% endtest %}


{% macro distinct_values(column) -%}
count(distinct {{ kanon.quote(column) }}) + max(case when {{ kanon.quote(column) }} is null then 1 else 0 end)
{%- endmacro %}
