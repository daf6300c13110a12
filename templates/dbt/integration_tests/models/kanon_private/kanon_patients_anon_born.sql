{# made by kanon-sql dbt plan, from kanon/patients_anon.plan.yml: make it again, and do not edit it #}

-- the values of born, and their labels level by level
{% if target.type in ('duckdb',) %}
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."born" AS value
  FROM {{ ref('stg_patients') }} AS s
)
SELECT
  value,
  year_text AS "level_1",
  decade_text || 's' AS "level_2",
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS "level_3"
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN "decade_number" IS NULL THEN NULL
      ELSE CAST("decade_number" AS VARCHAR)
    END AS "decade_text",
    CASE
      WHEN "year_number" BETWEEN 0 AND 9999 THEN LPAD(CAST("year_number" AS VARCHAR), 4, '0')
      ELSE CAST("year_number" AS VARCHAR)
    END AS "year_text"
  FROM (
    SELECT
      value,
      day,
      year_number - ((year_number % 10) + 10) % 10 AS "decade_number",
      year_number AS "year_number"
    FROM (
      SELECT
        value,
        day,
        CAST(EXTRACT(YEAR FROM day) AS INTEGER) AS year_number
      FROM (
        SELECT
          value,
          CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("value" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("value" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS day
        FROM "kanon_domain" AS d
      ) AS m
    ) AS n
  ) AS c
) AS t
{% elif target.type in ('postgres',) %}
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."born" AS value
  FROM {{ ref('stg_patients') }} AS s
)
SELECT
  value,
  year_text AS "level_1",
  decade_text || 's' AS "level_2",
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS "level_3"
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN "decade_number" IS NULL THEN NULL
      ELSE CAST("decade_number" AS TEXT)
    END AS "decade_text",
    CASE
      WHEN "year_number" BETWEEN 0 AND 9999 THEN LPAD(CAST("year_number" AS TEXT), 4, '0')
      ELSE CAST("year_number" AS TEXT)
    END AS "year_text"
  FROM (
    SELECT
      value,
      day,
      year_number - ((year_number % 10) + 10) % 10 AS "decade_number",
      year_number AS "year_number"
    FROM (
      SELECT
        value,
        day,
        CAST(EXTRACT(YEAR FROM day) AS INTEGER) AS year_number
      FROM (
        SELECT
          value,
          CASE WHEN CAST("value" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("value" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END AS day
        FROM "kanon_domain" AS d
      ) AS m
    ) AS n
  ) AS c
) AS t
{% elif target.type in ('spark', 'databricks',) %}
WITH `kanon_domain` AS (
  SELECT DISTINCT `s`.`born` AS value
  FROM {{ ref('stg_patients') }} AS s
)
SELECT
  value,
  year_text AS `level_1`,
  decade_text || 's' AS `level_2`,
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS `level_3`
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN `decade_number` IS NULL THEN NULL
      ELSE CAST(`decade_number` AS STRING)
    END AS `decade_text`,
    CASE
      WHEN `year_number` BETWEEN 0 AND 9999 THEN LPAD(CAST(`year_number` AS STRING), 4, '0')
      ELSE CAST(`year_number` AS STRING)
    END AS `year_text`
  FROM (
    SELECT
      value,
      day,
      year_number - ((year_number % 10) + 10) % 10 AS `decade_number`,
      year_number AS `year_number`
    FROM (
      SELECT
        value,
        day,
        CAST(EXTRACT(YEAR FROM day) AS INTEGER) AS year_number
      FROM (
        SELECT
          value,
          CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`value` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`value` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`value` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS day
        FROM `kanon_domain` AS d
      ) AS m
    ) AS n
  ) AS c
) AS t
{% else %}
{{ exceptions.raise_compiler_error("a hierarchy by rule is not written for this target; make it a model, and say hierarchy: {ref: MODEL}: " ~ target.type) }}
{% endif %}
