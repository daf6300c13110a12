{# Not more rows of `source` are missing from a release than `at_most`: a number of rows, or a share as '4%'. #}
{% test suppression(model, source, at_most) %}
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
{% endtest %}
