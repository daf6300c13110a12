{# A relation has the columns that its policy classified, and no other. A failure names columns. #}
{% test classified(model, columns) %}
{{ kanon.classified(model, columns) }}
{% endtest %}


{% macro classified(relation, columns) -%}
{%- for name, what in kanon.column_faults(relation, columns) -%}
{%- if execute and flags.WHICH in ('build', 'test') -%}
{%- set next = 'take it out of meta, or restore it' if what == 'is gone' else 'give it a role' -%}
{%- do log(relation | string ~ ": " ~ name ~ " " ~ what ~ "; " ~ next ~ ", and run kanon-sql dbt plan", info=true) -%}
{%- endif -%}
select {{ kanon.text(name) }} as column_name, {{ kanon.text(what) }} as what
{%- if not loop.last %}
union all
{% endif %}
{%- else -%}
select {{ kanon.text('') }} as column_name, {{ kanon.text('') }} as what
from {{ relation }}
where 1 = 0
{%- endfor %}
{%- endmacro %}


{#
  The columns of a relation that are not among these, and those of these that it has not, each with a description.
  The columns that an incremental release adds are left out.
#}
{% macro column_faults(relation, columns) %}
{%- set found, faults = [], [] -%}
{%- if execute -%}
{%- for column in adapter.get_columns_in_relation(relation) -%}
{%- do found.append(column.name) -%}
{%- endfor -%}
{%- endif -%}
{%- for name in found if name not in columns and name not in ('kanon_released_at', 'kanon_plan') -%}
{%- do faults.append((name, 'is a column that nothing is said of')) -%}
{%- endfor -%}
{%- for name in columns if found and name not in found -%}
{%- do faults.append((name, 'is gone')) -%}
{%- endfor -%}
{{ return(faults) }}
{% endmacro %}
