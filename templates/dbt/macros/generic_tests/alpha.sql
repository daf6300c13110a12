{#
  No value of the `sensitive` column has more than a share of `alpha` of the rows of a class over `columns` that have a
  value. NULL, which is unknown, is none of them, or, with sensitive_nulls: value, one. A class without a value fails.
#}
{% test alpha(model, columns, sensitive, alpha, nulls='category', sensitive_nulls='not_counted') %}
select
    {{ kanon.class_hash(columns) }} as class_hash,
    kanon_most_frequent as rows_of_one_value,
    kanon_valued as rows_with_a_value,
    {{ alpha }} as most,
    {{ kanon.text(sensitive) }} as sensitive_column,
    {{ kanon.text(columns | join(', ')) }} as quasi_identifiers
from (
    select
        {{ kanon.quoted(columns) }},
        max({{ kanon.if_counted(sensitive, sensitive_nulls, 'kanon_value_rows') }}) as kanon_most_frequent,
        sum({{ kanon.if_counted(sensitive, sensitive_nulls, 'kanon_value_rows') }}) as kanon_valued
    from (
        select {{ kanon.quoted(columns) }}, {{ kanon.quote(sensitive) }}, count(*) as kanon_value_rows
        from {{ model }}
        group by {{ kanon.quoted(columns) }}, {{ kanon.quote(sensitive) }}
    ) as kanon_values
    group by {{ kanon.quoted(columns) }}
) as kanon_classes
where not {{ kanon.share_within('kanon_most_frequent', 'kanon_valued', kanon.billionths(alpha)) }}
{{- kanon.refused_nulls(columns, nulls) }}
{% endtest %}


{# Whether the most frequent value has at most a share, in units of 10^-9, of the rows with a value; NULL is 1 of 1. #}
{% macro share_within(most_frequent, valued, bound) -%}
1000000000 * coalesce({{ most_frequent }}, 1) <= {{ bound }} * coalesce({{ valued }}, 1)
{%- endmacro %}


{# A share in units of 10^-9. #}
{% macro billionths(share) -%}
{{ (share | float * 1000000000) | round | int }}
{%- endmacro %}


{# What is counted of the rows that have a value of a sensitive column. #}
{% macro if_counted(column, sensitive_nulls, counted) -%}
{%- if sensitive_nulls not in ('not_counted', 'value') -%}
{{ exceptions.raise_compiler_error("sensitive_nulls: is not_counted or value") }}
{%- endif -%}
{{ counted if sensitive_nulls == 'value' else 'case when ' ~ kanon.quote(column) ~ ' is not null then ' ~ counted ~ ' end' }}
{%- endmacro %}
