{# Every combination of values of `columns` lies in a region: each column of the source by that of the model of regions, those
   of `texts` as texts. Rows that lie in none are not released. A failure has counts and never a value. See kanon.was_built. #}
{% test in_regions(model, source, columns, texts=[]) %}
{%- if not kanon.was_built(model) %}
select 0 as rows_without_region
from {{ source }} as s
where 1 = 0
{%- else %}
{%- set same = [] -%}
{%- for value, name in columns.items() -%}
{%- set own = 's.' ~ kanon.quote(name) -%}
{%- do same.append(kanon.same('r.' ~ value, kanon.as_text(own) if name in texts else own)) -%}
{%- endfor -%}
select count(*) as rows_without_region
from {{ source }} as s
where not exists (
    select 1
    from {{ model }} as r
    where {{ same | join('\n        and ') }}
)
having count(*) > 0
{%- endif %}
{% endtest %}


{# A combination of values lies in one region: else its rows would be released twice. A failure has counts and never a value. #}
{% test one_region(model, columns) %}
select count(*) as combinations_in_several_regions
from (
    select 1 as one
    from {{ model }}
    group by {{ columns | join(', ') }}
    having count(*) > 1
) as several
having count(*) > 0
{% endtest %}
