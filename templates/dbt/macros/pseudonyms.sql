{#
  Pseudonyms: HMAC-SHA-256 (RFC 2104) of the text of a value, in hexadecimal, as kanon-sql apply gives them.

  No text that dbt writes has the key: the padded keys are read, where the release is made, from a table that
  `kanon-sql dbt keys` filled, and that dbt makes and revokes everybody's rights on. The plan has the first digits
  of a hash under each key. Rows are joined with a key that has these digits, so that no row is released under
  another key, or without one; and a release that would link rows which the policy does not accept has none.
#}
{% macro pseudonym(value, key, tag) -%}
case when {{ value }} is not null then {{ kanon.keyed(('(' ~ kanon.text(tag) ~ ' || ' ~ kanon.as_text(value) ~ ')') if tag else kanon.as_text(value), key) }} end
{%- endmacro %}


{# HMAC of a text, under the padded keys of a relation. #}
{% macro keyed(text, key) %}
{{ return(adapter.dispatch('keyed', 'kanon')(text, key)) }}
{% endmacro %}

{% macro default__keyed(text, key) %}
{{ exceptions.raise_compiler_error(
    "pseudonyms are made on DuckDB and PostgreSQL: of " ~ target.type ~ " no test shows that a hash under a key is the "
    ~ "same, and that nobody reads the key; hash the column before dbt reads it, or drop it"
) }}
{% endmacro %}

{% macro duckdb__keyed(text, key) %}
{{ return(
    'sha256(' ~ key ~ '.outer_key || unhex(sha256(' ~ key ~ '.inner_key || encode(' ~ text ~ '))))'
) }}
{% endmacro %}

{% macro postgres__keyed(text, key) %}
{{ return(
    "encode(sha256(" ~ key ~ ".outer_key || sha256(" ~ key ~ ".inner_key || convert_to(" ~ text ~ ", 'UTF8'))), 'hex')"
) }}
{% endmacro %}

{# dbt takes Redshift for a kind of PostgreSQL. #}
{% macro redshift__keyed(text, key) %}
{{ return(kanon.default__keyed(text, key)) }}
{% endmacro %}


{# The bytes that a text of hexadecimal digits stands for. #}
{% macro bytes_of(digits) %}
{{ return(adapter.dispatch('bytes_of', 'kanon')(digits)) }}
{% endmacro %}

{% macro default__bytes_of(digits) %}
{{ return('unhex(' ~ digits ~ ')') }}
{% endmacro %}

{% macro postgres__bytes_of(digits) %}
{{ return("decode(" ~ digits ~ ", 'hex')") }}
{% endmacro %}


{# The table of keys, before there are any: kanon-sql dbt keys puts them in, and a build keeps them. #}
{% macro no_keys() %}
{%- set text = dbt.type_string() -%}
select
    cast(null as {{ text }}) as name,
    cast(null as {{ text }}) as inner_key,
    cast(null as {{ text }}) as outer_key
where 1 = 0
{% endmacro %}


{# The padded keys of one name, in one row; none where there is no key, or more than one, or another than the plan's. #}
{% macro key_of(chosen, name) -%}
(
    select inner_key, outer_key
    from (
        select {{ kanon.bytes_of('min(inner_key)') }} as inner_key, {{ kanon.bytes_of('min(outer_key)') }} as outer_key
        from {{ kanon.relation(chosen.pseudonyms.reference) }}
        where name = {{ kanon.text(name) }}
        having count(*) = 1
    ) as padded
    where substr({{ kanon.keyed(kanon.text(chosen.pseudonyms.said), 'padded') }}, 1, {{ chosen.pseudonyms.checks[name] | length }}) = {{ kanon.text(chosen.pseudonyms.checks[name]) }}
)
{%- endmacro %}


{# Joins each row with the keys of its pseudonyms, and with nothing where a pseudonym repeats that must not. #}
{% macro with_keys(relation, chosen) -%}
{%- if chosen.pseudonyms -%}
{%- for name in chosen.pseudonyms.checks %}
cross join {{ kanon.key_of(chosen, name) | indent(4) }} as key_{{ loop.index }}
{%- endfor -%}
{%- for column in chosen.columns if column.apart %}
cross join (
    select 1 as kanon_apart
    from {{ relation }} as source
    having count(source.{{ kanon.quote(column.name) }}) = count(distinct source.{{ kanon.quote(column.name) }})
) as apart_{{ loop.index }}
{%- endfor -%}
{%- endif -%}
{%- endmacro %}


{# How the keys of a column's pseudonyms are called in the join. #}
{% macro key_alias(chosen, column) %}
{{ return('key_' ~ ((chosen.pseudonyms.checks.keys() | list).index(column.key) + 1)) }}
{% endmacro %}


{# Stops a run before anything is written: where a key is missing or is another one, where a pseudonym would link rows,
   and where the release is a view, which would need the key whenever it is read. #}
{% macro refuse_pseudonyms(relation, chosen) %}
{%- if chosen.pseudonyms and execute and flags.WHICH in ('run', 'build') -%}
{%- if model.config.materialized not in ('table', 'incremental') -%}
{{ exceptions.raise_compiler_error(
    "the release has pseudonyms, and would be made as a " ~ model.config.materialized ~ ", which needs their key whenever "
    ~ "it is read: say materialized='table'"
) }}
{%- endif -%}
{%- set kept, faults = kanon.relation(chosen.pseudonyms.reference), [] -%}
{%- set is_there = load_relation(kept) is not none -%}
{%- for name in chosen.pseudonyms.checks -%}
{%- if not is_there or kanon.first_cell('select count(*) from ' ~ kept ~ ' where name = ' ~ kanon.text(name)) == 0 -%}
{%- do faults.append("the key of " ~ name ~ " is not in " ~ kept ~ ": run dbt run --select " ~ kept.identifier ~ ", and then kanon-sql dbt keys") -%}
{%- elif kanon.first_cell('select count(*) from ' ~ kanon.key_of(chosen, name) ~ ' as found') == 0 -%}
{%- do faults.append("the key of " ~ name ~ " in " ~ kept ~ " is another than that of the plan: run kanon-sql dbt keys where the plan's is set, or plan again") -%}
{%- endif -%}
{%- endfor -%}
{%- for column in chosen.columns if column.apart -%}
{%- set own = kanon.quote(column.name) -%}
{%- set repeats = kanon.first_cell('select count(' ~ own ~ ') - count(distinct ' ~ own ~ ') from ' ~ relation) -%}
{%- if repeats > 0 -%}
{%- do faults.append(repeats ~ " rows repeat a value of " ~ column.name ~ ", and would share a pseudonym, which joins the rows of a person: say linkable: accept, or drop the column") -%}
{%- endif -%}
{%- endfor -%}
{%- if faults -%}
{{ exceptions.raise_compiler_error("no pseudonyms can be made: " ~ faults | join('; ')) }}
{%- endif -%}
{%- endif -%}
{% endmacro %}


{% macro first_cell(text) %}
{{ return(run_query(text).columns[0].values()[0] | int) }}
{% endmacro %}
