{# Quotes a name, whatever characters it has. #}
{% macro quote(name) -%}
{{ return(adapter.dispatch('quote', 'kanon')(name)) }}
{%- endmacro %}

{% macro default__quote(name) -%}
{{ return(adapter.quote(name.replace('"', '""'))) }}
{%- endmacro %}

{% macro spark__quote(name) -%}
{{ return(adapter.quote(name.replace('`', '``'))) }}
{%- endmacro %}

{% macro bigquery__quote(name) -%}
{{ return(adapter.quote(name.replace('\\', '\\\\').replace('`', '\\`'))) }}
{%- endmacro %}


{# Writes a text as a literal, whatever characters it has. Where a quote is escaped by a backslash, so is a backslash. #}
{% macro text(value) -%}
{%- set content = value | string -%}
{%- if dbt.escape_single_quotes("'") != "''" -%}
{%- set content = content.replace('\\', '\\\\') -%}
{%- endif -%}
{{ return(dbt.string_literal(dbt.escape_single_quotes(content))) }}
{%- endmacro %}


{# A cell of a seed, in which no text is None: dbt's Spark session makes that of NULL. #}
{% macro seeded(cell) %}
{{ return(adapter.dispatch('seeded', 'kanon')(cell)) }}
{% endmacro %}

{% macro default__seeded(cell) %}
{{ return(cell) }}
{% endmacro %}

{% macro spark__seeded(cell) %}
{{ return("nullif(" ~ cell ~ ", 'None')") }}
{% endmacro %}


{% macro as_text(value) %}
{{ return('cast(' ~ value ~ ' as ' ~ dbt.type_string() ~ ')') }}
{% endmacro %}


{# Compares two values, of which NULL is one, so that a join can be hashed. #}
{% macro same(left, right) -%}
{{ return(adapter.dispatch('same', 'kanon')(left, right)) }}
{%- endmacro %}

{% macro default__same(left, right) -%}
{{ left }} is not distinct from {{ right }}
{%- endmacro %}

{# PostgreSQL hashes no IS NOT DISTINCT FROM; its arrays compare NULLs as equal, and hash. #}
{% macro postgres__same(left, right) -%}
array[{{ left }}] = array[{{ right }}]
{%- endmacro %}

{% macro spark__same(left, right) -%}
{{ left }} <=> {{ right }}
{%- endmacro %}

{# Redshift has neither. #}
{% macro redshift__same(left, right) -%}
({{ left }} = {{ right }} or ({{ left }} is null and {{ right }} is null))
{%- endmacro %}


{# Whether AS MATERIALIZED makes the database evaluate a common table expression once, however often it is read. #}
{% macro evaluates_once() %}
{{ return(adapter.dispatch('evaluates_once', 'kanon')()) }}
{% endmacro %}

{% macro default__evaluates_once() %}
{{ return(false) }}
{% endmacro %}

{% macro duckdb__evaluates_once() %}
{{ return(true) }}
{% endmacro %}

{% macro postgres__evaluates_once() %}
{{ return(true) }}
{% endmacro %}

{# dbt takes Redshift for a kind of PostgreSQL. #}
{% macro redshift__evaluates_once() %}
{{ return(false) }}
{% endmacro %}


{% macro random() -%}
{{ return(adapter.dispatch('random', 'kanon')()) }}
{%- endmacro %}

{% macro default__random() -%}
random()
{%- endmacro %}

{% macro spark__random() -%}
rand()
{%- endmacro %}

{% macro bigquery__random() -%}
rand()
{%- endmacro %}


{# Ends a query so that, where it is a view, conditions of a reader are never evaluated on suppressed rows. #}
{% macro fence() -%}
{{ return(adapter.dispatch('fence', 'kanon')()) }}
{%- endmacro %}

{% macro default__fence() %}
{{ return('') }}
{% endmacro %}

{# PostgreSQL evaluates a condition on the columns of a class before it counts classes, but never below an OFFSET. #}
{% macro postgres__fence() %}
{{ return('\noffset 0') }}
{% endmacro %}


{# Distinguishes classes in a table of failures; who does not know the salt learns nothing of their values. #}
{% macro class_hash(columns) -%}
{%- set parts = [kanon.text(var('kanon_salt', invocation_id))] -%}
{%- for column in columns -%}
{%- set text = kanon.as_text(kanon.quote(column)) -%}
{%- set length = kanon.as_text(dbt.length(text)) -%}
{%- do parts.append("coalesce(" ~ dbt.concat([length, "':'", text]) ~ ", '-')") -%}
{%- endfor -%}
{{ dbt.hash(dbt.concat(parts)) }}
{%- endmacro %}
