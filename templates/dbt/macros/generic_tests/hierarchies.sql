{# Every value of a column has an entry in a hierarchy, and one with a root where its `height` is given. Rows of a
   value without an entry are not released. A failure has counts and never a value. See kanon.was_built. #}
{% test covers(model, source, column, by_text=false, height=none) %}
{%- if not kanon.was_built(model) %}
select 0 as rows_without_entry, 0 as values_without_entry
from {{ source }} as s
where 1 = 0
{%- else %}
{%- set own = 's.' ~ kanon.quote(column) -%}
{%- set as_texts = by_text or (execute and model is not string and not kanon.of_one_type(kanon.types(source), column, model)) -%}
select count(*) as rows_without_entry, count(distinct {{ own }}) as values_without_entry
from {{ source }} as s
where {{ own }} is not null
    and not exists (
        select 1
        from {{ model }} as h
        where {{ kanon.as_text('h.value') if as_texts else 'h.value' }} = {{ kanon.as_text(own) if as_texts else own }}
        {%- if height is not none %}
            and h.level_{{ height }} is not null
        {%- endif %}
    )
having count(*) > 0
{%- endif %}
{% endtest %}


{# No value of a column is longer than its mask: `longest` has the most characters of each column. Rows of a longer value are
   not released. A failure has a column and counts, and never a value. #}
{% macro fit_masks(source, longest) %}
{%- for column, most in longest.items() %}
{%- set own = 's.' ~ kanon.quote(column) %}
select
    {{ kanon.text(column) }} as column_name,
    count(*) as rows_without_entry,
    count(distinct {{ own }}) as values_without_entry
from {{ source }} as s
where length({{ kanon.as_text(own) }}) > {{ most }}
having count(*) > 0
{%- if not loop.last %}
union all
{%- endif %}
{%- endfor %}
{% endmacro %}


{# A value has one entry. #}
{% test one_entry(model) %}
select count(*) as entries, count(distinct value) + max(case when value is null then 1 else 0 end) as entry_values
from {{ model }}
having count(*) <> count(distinct value) + max(case when value is null then 1 else 0 end)
{% endtest %}


{# The last level of a hierarchy is one label for all that have a place in it. #}
{% test one_root(model, height) %}
select count(distinct level_{{ height }}) as roots
from {{ model }}
having count(distinct level_{{ height }}) <> 1
{% endtest %}


{# A label lies under one label of the next level. A failure has a level and a count. #}
{% test nested_levels(model, height) %}
{%- for n in range(1, height) %}
select {{ n }} as level, count(*) as labels_with_several_parents
from (
    select level_{{ n }}
    from {{ model }}
    where level_{{ n }} is not null
    group by level_{{ n }}
    having count(distinct level_{{ n + 1 }}) > 1 or count(*) <> count(level_{{ n + 1 }})
) as labels_{{ n }}
having count(*) > 0
{%- if not loop.last %}
union all
{%- endif %}
{%- else %}
select 1 as level, 0 as labels_with_several_parents from {{ model }} where 1 = 0
{%- endfor %}
{% endtest %}
