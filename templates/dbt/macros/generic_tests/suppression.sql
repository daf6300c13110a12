{# Not more rows of `source` are missing from a release than `at_most`: a number of rows, or a share as '4%'.
   See kanon.was_built. #}
{% test suppression(model, source, at_most) %}
{%- if not kanon.was_built(model) %}
select 0 as source_rows
from {{ source }} as s
where 1 = 0
{%- else %}
{%- set share = at_most is string and at_most.endswith('%') -%}
select *
from (
    select
        s.source_rows,
        s.source_rows - r.released_rows as suppressed_rows,
        {% if share -%}
        floor(s.source_rows * {{ at_most[:-1] }} / 100.0)
        {%- else -%}
        {{ at_most }}
        {%- endif %} as most
    from (select count(*) as source_rows from {{ source }}) as s
    cross join (select count(*) as released_rows from {{ model }}) as r
) as counted
where suppressed_rows > most or suppressed_rows < 0
{%- endif %}
{% endtest %}


{# Whether a relation is there. dbt runs a test of two relations when one of them was selected: where the other was
   never built, nothing was released by it, and there is nothing to count. #}
{% macro was_built(relation) %}
{{ return(not execute or relation is string or relation.is_cte or load_relation(relation) is not none) }}
{% endmacro %}
