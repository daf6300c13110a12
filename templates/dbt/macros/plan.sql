{# A committed plan, by its name: what the macro kanon_plan__NAME of the project returns. #}
{% macro plan(name) %}
{%- set chosen = context.get('kanon_plan__' ~ name) -%}
{%- if chosen is none -%}
{{ exceptions.raise_compiler_error("there is no plan " ~ name ~ " in this project; make it with: kanon-sql dbt plan") }}
{%- endif -%}
{{ return(chosen()) }}
{% endmacro %}
