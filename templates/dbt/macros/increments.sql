{#
  An incremental model's next rows: of each class the rows that came since the class was last released, if they
  fit by themselves, or none of them. What does not fit is withheld until it does; see kanon.held_back.

  Guarantee: between two runs, a reader of the release sees no rows or at least k entities come into any class.
  It needs `loaded_at`, a column that no later row has a smaller or equal value of, than the largest there was
  when a run read the source: the day that a row was loaded on, if days are loaded whole. Rows without one stay withheld,
  and so do rows whose value is not larger than the largest there was when their class was last released; in a class that
  was not released since, late rows wait with the others. Rows are added, and neither they nor the labels of their values change:
  one that does could come a second time, into another class. The release has two more columns: kanon_released_at, up to which
  `loaded_at` its class was released then, and kanon_plan, the plan that it was released by.
#}
{% macro increments(relation, chosen, loaded_at) -%}
{%- if chosen.models | length > 1 -%}
{{ exceptions.raise_compiler_error("an incremental release is of one set of quasi-identifiers; leave out over:, or loaded_at") }}
{%- endif -%}
{%- do kanon.refuse_other_types(relation, chosen, loaded_at) -%}
{%- do kanon.refuse_other_plans(chosen) -%}
{%- set model = chosen.models[0] -%}
{%- set own = 'source.' ~ kanon.quote(loaded_at) -%}
{{ kanon.header(chosen) }}
with

recoded as (

    {{ kanon.recoded(
        relation, chosen,
        more=own ~ ' as kanon_loaded_at,\n    max(' ~ own ~ ') over () as kanon_released_at',
        where=own ~ ' is not null'
    ) | indent(4) }}

),
{%- if is_incremental() %}

{{ kanon.since_released(chosen, model) }}
{%- endif %}

{{ kanon.counted(chosen, [model], 'pending' if is_incremental() else 'recoded') }}

select
    {{ kanon.released_columns(chosen) | indent(4) }},
    kanon_released_at,
    {{ kanon.text(chosen.hash[:12]) }} as kanon_plan
from counted
where {{ kanon.fits(model) }}
{%- endmacro %}


{# Stops a run of a model that should only add to a release but does more: a release that is rebuilt shows who was added. #}
{% macro refuse_made_anew(chosen, loaded_at) %}
{%- if execute and flags.WHICH in ('run', 'build') -%}
{%- set by = chosen.loaded_at or loaded_at -%}
{%- set own = model.config -%}
{%- set adds = own.materialized == 'incremental' and own.incremental_strategy == 'append' and own.full_refresh is false -%}
{%- if by and (loaded_at != by or not adds) -%}
{{ exceptions.raise_compiler_error(
    "the release is incremental by " ~ by ~ ", and its model is not: say config(materialized='incremental', "
    ~ "incremental_strategy='append', full_refresh=false), and loaded_at=" ~ by | tojson ~ " of kanon.anonymize"
) }}
{%- endif -%}
{%- endif -%}
{% endmacro %}


{# Stops a run that would continue a release although values have another type: converted to the type of earlier
   rows they compare in another way, and rows would be released twice; or the database prints a value in an error. #}
{% macro refuse_other_types(relation, chosen, loaded_at) %}
{%- if execute and is_incremental() and flags.WHICH in ('run', 'build') -%}
{%- set now, kept, faults = kanon.types(relation), kanon.types(this), [] -%}
{%- if kept and 'kanon_released_at' not in kept -%}
{{ exceptions.raise_compiler_error(
    "what is there was not released by increments, and cannot be gone on with: drop the table if nobody has read it, "
    ~ "or release under another name, of later rows alone (a model of rows where " ~ loaded_at ~ " > DAY)"
) }}
{%- endif -%}
{%- set pairs = [(loaded_at, 'kanon_released_at')] -%}
{%- for column in chosen.columns if column.becomes in ('value', 'value twice') -%}
{%- for name in column.released -%}
{%- do pairs.append((column.name, name)) -%}
{%- endfor -%}
{%- endfor -%}
{%- for name, released in pairs if now.get(name.lower()) != kept.get(released.lower()) -%}
{%- do faults.append(name ~ ' is ' ~ now.get(name.lower()) ~ ', and was ' ~ kept.get(released.lower())) -%}
{%- endfor -%}
{%- if faults -%}
{{ exceptions.raise_compiler_error(
    "the release goes on only with columns of the types it began with: " ~ faults | join('; ') ~ "; cast them in the source"
) }}
{%- endif -%}
{%- endif -%}
{% endmacro %}


{# Stops a run that would continue a release of another plan: its classes differ, and rows would be released twice. #}
{% macro refuse_other_plans(chosen) %}
{%- if execute and is_incremental() and flags.WHICH in ('run', 'build') -%}
{%- set own = kanon.text(chosen.hash[:12]) -%}
{%- set found = run_query('select count(*) from ' ~ this ~ ' where kanon_plan <> ' ~ own ~ ' or kanon_plan is null') -%}
{%- if found.columns[0].values()[0] > 0 -%}
{{ exceptions.raise_compiler_error(
    "the release has rows by another plan than " ~ chosen.hash[:12] ~ ": release by the new one under another name, "
    ~ "of later rows alone (a model of rows where " ~ chosen.loaded_at ~ " > DAY), as all of them would show beside this release what it withheld"
) }}
{%- endif -%}
{%- endif -%}
{% endmacro %}


{# The recoded rows that came since their class was last released; rows of no released class are all of them. #}
{% macro since_released(chosen, model) -%}
known as (

    select
        {{ kanon.released_columns(chosen) | indent(8) }},
        kanon_loaded_at,
        kanon_released_at,
        kanon_entity,
        0 as kanon_is_released
    from recoded

    union all

    select
        {{ kanon.released_columns(chosen) | indent(8) }},
        null,
        kanon_released_at,
        null,
        1
    from {{ this }} as released

),

marked as (

    select
        *,
        max(case when kanon_is_released = 1 then kanon_released_at end)
            over (partition by {{ kanon.quoted(model.over) }}) as kanon_class_released_at
    from known

),

pending as (

    select *
    from marked
    where kanon_is_released = 0
        and (kanon_class_released_at is null or kanon_loaded_at > kanon_class_released_at)

),
{%- endmacro %}


{#
  What an incremental release withholds: rows of the source, of the release, and of the difference, which come
  into the release when their class's next rows fit. `released` is a release by kanon.anonymize. Rows that were released and
  then deleted from the source are not subtracted again: the difference is too small by as many, and a test fails below 0.
#}
{% macro held_back(relation, released) -%}
select
    s.source_rows,
    r.released_rows,
    s.source_rows - r.released_rows as held_back_rows
from (select count(*) as source_rows from {{ relation }}) as s
cross join (select count(*) as released_rows from {{ released }}) as r
{%- endmacro %}


{# The rows that the first load released, as its plan recodes them: later loads have a larger kanon_released_at. #}
{% macro first_load(released, columns) -%}
select {{ kanon.quoted(columns) }}
from {{ released }}
where kanon_released_at = (select min(kanon_released_at) from {{ released }})
{%- endmacro %}


{# More rows were released than the source has: some were deleted after that, and what is withheld is not counted right. #}
{% macro none_deleted(counted) -%}
select held_back_rows
from {{ counted }}
where held_back_rows < 0
{%- endmacro %}
