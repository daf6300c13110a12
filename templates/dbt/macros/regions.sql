{# Joins the model of regions to the source: a row of a combination that lies in no region has no row here. #}
{% macro join_regions(chosen) -%}
{%- if chosen.regions %}
{%- set same = [] -%}
{%- for column in chosen.columns if column.becomes == 'region' -%}
{%- set own = 'source.' ~ kanon.quote(column.name) -%}
{%- do same.append(kanon.same('kanon_regions.' ~ column.value, kanon.as_text(own) if column.as_text else own)) -%}
{%- endfor %}
inner join {{ kanon.relation(chosen.regions) }} as kanon_regions
    on {{ same | join('\n    and ') }}
{%- endif -%}
{%- endmacro %}


{# The entries of a hierarchy that regions are nodes of, as texts. A value with two entries, or without a root, has none. #}
{% macro single_entries(relation, height) -%}
(
    select
        {{ kanon.as_text('value') }} as value
        {%- for n in range(1, height + 1) %},
        min(level_{{ n }}) as level_{{ n }}
        {%- endfor %}
    from {{ relation }}
    group by {{ kanon.as_text('value') }}
    having count(*) = 1 and min(level_{{ height }}) is not null
)
{%- endmacro %}

