{#
  A release at several nodes: each class at the first of the plan's nodes where it fits among the rows that no node
  before keeps. Rows that fit at no node are suppressed. A row keeps the number of its node, so that each node's
  classes are counted once, over what the nodes before left.
#}
{% macro at_nodes(relation, chosen) -%}
{%- set model = chosen.models[0] -%}
{{ kanon.header(chosen) }}
with

recoded as (

    {{ kanon.recoded(relation, chosen, more='0 as kanon_node') | indent(4) }}

),

{% for n in range(1, chosen.nodes + 1) -%}
{%- set of_node = {
    'over': kanon.columns_of_node(chosen, n), 'k': model.k, 'distinct_l': model.distinct_l, 'alpha': model.alpha or {}
} -%}
{{ kanon.counted(chosen, [of_node], 'recoded' if loop.first else 'kept_' ~ (n - 1), '_' ~ n) }},

kept_{{ n }} as (

    select
        {{ kanon.quoted(kanon.columns_of_levels(chosen)) }},
        kanon_entity,
        case
            when kanon_node > 0 then kanon_node
            when {{ kanon.fits(of_node) | indent(12) }}
                then {{ n }}
            else 0
        end as kanon_node
    from counted_{{ n }}

){{ ',' if not loop.last }}

{% endfor -%}
select
    {%- for column in chosen.columns if column.becomes != 'nothing' %}
    {%- set last = loop.last %}
    {%- for name in column.released %}
    {{ kanon.by_node(column, name) }}{{ ',' if not (last and loop.last) }}
    {%- endfor %}
    {%- endfor %}
from kept_{{ chosen.nodes }}
where kanon_node > 0
{%- endmacro %}


{# A column of such a release at one of its levels, before the node of each row is known: its label, or a bound. #}
{% macro level_column(column, level, released) %}
{{ return('kanon_level_' ~ level ~ '_of_' ~ released) }}
{% endmacro %}


{# Whether a column has anything at a level: bounds of the last level are NULL. #}
{% macro has_level(column, level) %}
{{ return(not (column.bounds and level == column.height)) }}
{% endmacro %}


{# The columns of a source's row at all levels that some node releases. #}
{% macro levels_of(column) -%}
{%- set own = kanon.own_value(column) -%}
{%- for name in column.released -%}
{%- set end = ('low', 'high')[loop.index0] -%}
{%- for level in column.levels if kanon.has_level(column, level) -%}
{%- set found = own if level == 0 else column.alias ~ '.' ~ (end if column.bounds else 'level') ~ '_' ~ level %}
    {{ kanon.as_text(found) if column.as_text else found }} as {{ kanon.quote(kanon.level_column(column, level, name)) }},
{%- endfor -%}
{%- endfor -%}
{%- endmacro %}


{# The names of the columns by which the rows at a node make classes: the number of rows' nodes first, so that rows
   that have one are in no class of others. #}
{% macro columns_of_node(chosen, number) %}
{%- set found = ['kanon_node'] -%}
{%- for column in chosen.columns if column.quasi -%}
{%- for name in column.released -%}
{%- if not column.levels -%}
{%- do found.append(name) -%}
{%- elif kanon.has_level(column, column.at_nodes[number - 1]) -%}
{%- do found.append(kanon.level_column(column, column.at_nodes[number - 1], name)) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}


{# The names of all columns that rows have until the node of each is known. #}
{% macro columns_of_levels(chosen) %}
{%- set found = [] -%}
{%- for column in chosen.columns if column.becomes != 'nothing' -%}
{%- for name in column.released -%}
{%- if not column.levels -%}
{%- do found.append(name) -%}
{%- endif -%}
{%- for level in column.levels or [] if kanon.has_level(column, level) -%}
{%- do found.append(kanon.level_column(column, level, name)) -%}
{%- endfor -%}
{%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}


{# A released column at the level of its row's node. #}
{% macro by_node(column, name) -%}
{%- if not column.levels -%}
{{ kanon.quote(name) }}
{%- else -%}
case kanon_node
{%- for level in column.at_nodes %}
        when {{ loop.index }} then {{ kanon.quote(kanon.level_column(column, level, name)) if kanon.has_level(column, level) else 'null' }}
{%- endfor %}
    end as {{ kanon.quote(name) }}
{%- endif -%}
{%- endmacro %}
