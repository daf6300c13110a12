-- 5-anonymity over sex, born, zip, job; distinct 2-diversity of disease over sex, born, zip, job, counted by patient_id; plan, made by kanon-sql
with

recoded as materialized (

    select *, hash("sex", "born", "zip", "job") as kanon_class
    from (
        select
            source."sex" as "sex",
            born_labels.level_2 as "born",
            source."zip" as "zip",
            job_labels.level_2 as "job",
            source."disease" as "disease",
            source."patient_id" as kanon_entity
        from "patients"."main"."stg_patients" as source
        inner join "patients"."main"."kanon_patients_anon_born" as born_labels
            on born_labels.value is not distinct from source."born"
            and born_labels.level_3 is not null
        inner join (
            select cast(value as TEXT) as value, min(level_2) as level_2
            from "patients"."main"."kanon_patients_anon_job"
            group by cast(value as TEXT)
            having count(*) = 1 and min(level_2) is not null
        ) as job_labels
            on job_labels.value is not distinct from cast(source."job" as TEXT)
        where (source."zip" is null or length(cast(source."zip" as TEXT)) <= 5)
    ) as labeled

),

classes as materialized (

    select
        kanon_class,
        count(*) as kanon_rows,
        coalesce(bit_count(bit_or(case when "kanon_entity" is not null then 1::ubigint << (hash("kanon_entity") & 63) end)), 0) >= 5
            and coalesce(bit_count(bit_or(case when "disease" is not null then 1::ubigint << (hash("disease") & 63) end)), 0) >= 2 as kanon_fits
    from recoded
    group by kanon_class, "sex", "born", "zip", "job"

),

fitting as (

    select kanon_class
    from classes
    group by kanon_class
    having bool_and(kanon_fits)

    union

    select kanon_class
    from (
        select
            kanon_class,
            count(distinct "kanon_entity") >= 5
                and count(distinct "disease") >= 2 as kanon_fits
        from recoded
        where kanon_class in (select kanon_class from classes where not kanon_fits and kanon_rows >= 5)
        group by kanon_class, "sex", "born", "zip", "job"
    ) as counted
    group by kanon_class
    having bool_and(kanon_fits)

)

select
    "sex",
    "born",
    "zip",
    "job",
    "disease"
from recoded
where kanon_class in (select kanon_class from fitting)
order by random()
