-- duckdb
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."vis.it" AS value
  FROM "the source; DROP TABLE x" AS s
  UNION
  SELECT DISTINCT "s"."vis.it" AS value
  FROM "the source; DROP TABLE x" AS s
)
SELECT
  value,
  year_text || '-' || month_text AS "level_1",
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS "level_2"
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN "year_number" BETWEEN 0 AND 9999 THEN LPAD(CAST("year_number" AS VARCHAR), 4, '0')
      ELSE CAST("year_number" AS VARCHAR)
    END AS "year_text",
    CASE
      WHEN "month_number" BETWEEN 0 AND 99 THEN LPAD(CAST("month_number" AS VARCHAR), 2, '0')
      ELSE CAST("month_number" AS VARCHAR)
    END AS "month_text"
  FROM (
    SELECT
      value,
      day,
      year_number AS "year_number",
      CAST(EXTRACT(MONTH FROM day) AS INTEGER) AS "month_number"
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

-- postgres
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."vis.it" AS value
  FROM "the source; DROP TABLE x" AS s
  UNION
  SELECT DISTINCT "s"."vis.it" AS value
  FROM "the source; DROP TABLE x" AS s
)
SELECT
  value,
  year_text || '-' || month_text AS "level_1",
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS "level_2"
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN "year_number" BETWEEN 0 AND 9999 THEN LPAD(CAST("year_number" AS TEXT), 4, '0')
      ELSE CAST("year_number" AS TEXT)
    END AS "year_text",
    CASE
      WHEN "month_number" BETWEEN 0 AND 99 THEN LPAD(CAST("month_number" AS TEXT), 2, '0')
      ELSE CAST("month_number" AS TEXT)
    END AS "month_text"
  FROM (
    SELECT
      value,
      day,
      year_number AS "year_number",
      CAST(EXTRACT(MONTH FROM day) AS INTEGER) AS "month_number"
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

-- spark
WITH `kanon_domain` AS (
  SELECT DISTINCT `s`.`vis.it` AS value
  FROM `the source; DROP TABLE x` AS s
  UNION
  SELECT DISTINCT `s`.`vis.it` AS value
  FROM `the source; DROP TABLE x` AS s
)
SELECT
  value,
  year_text || '-' || month_text AS `level_1`,
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS `level_2`
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN `year_number` BETWEEN 0 AND 9999 THEN LPAD(CAST(`year_number` AS STRING), 4, '0')
      ELSE CAST(`year_number` AS STRING)
    END AS `year_text`,
    CASE
      WHEN `month_number` BETWEEN 0 AND 99 THEN LPAD(CAST(`month_number` AS STRING), 2, '0')
      ELSE CAST(`month_number` AS STRING)
    END AS `month_text`
  FROM (
    SELECT
      value,
      day,
      year_number AS `year_number`,
      CAST(EXTRACT(MONTH FROM day) AS INTEGER) AS `month_number`
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
