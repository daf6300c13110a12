-- duckdb
CREATE TEMP TABLE "dates" AS
SELECT
  value,
  year_text || '-' || month_text || '-' || day_text AS "level_1",
  week_year_text || '-W' || week_text AS "level_2",
  year_text || '-' || month_text AS "level_3",
  year_text || '-Q' || quarter_text AS "level_4",
  year_text AS "level_5",
  decade_text || 's' AS "level_6",
  century_text || 's' AS "level_7",
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS "level_8"
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN "century_number" IS NULL THEN NULL
      ELSE CAST("century_number" AS VARCHAR)
    END AS "century_text",
    CASE
      WHEN "decade_number" IS NULL THEN NULL
      ELSE CAST("decade_number" AS VARCHAR)
    END AS "decade_text",
    CASE
      WHEN "year_number" BETWEEN 0 AND 9999 THEN LPAD(CAST("year_number" AS VARCHAR), 4, '0')
      ELSE CAST("year_number" AS VARCHAR)
    END AS "year_text",
    CASE
      WHEN "quarter_number" IS NULL THEN NULL
      ELSE CAST("quarter_number" AS VARCHAR)
    END AS "quarter_text",
    CASE
      WHEN "month_number" BETWEEN 0 AND 99 THEN LPAD(CAST("month_number" AS VARCHAR), 2, '0')
      ELSE CAST("month_number" AS VARCHAR)
    END AS "month_text",
    CASE
      WHEN "day_number" BETWEEN 0 AND 99 THEN LPAD(CAST("day_number" AS VARCHAR), 2, '0')
      ELSE CAST("day_number" AS VARCHAR)
    END AS "day_text",
    CASE
      WHEN "week_year_number" BETWEEN 0 AND 9999 THEN LPAD(CAST("week_year_number" AS VARCHAR), 4, '0')
      ELSE CAST("week_year_number" AS VARCHAR)
    END AS "week_year_text",
    CASE
      WHEN "week_number" BETWEEN 0 AND 99 THEN LPAD(CAST("week_number" AS VARCHAR), 2, '0')
      ELSE CAST("week_number" AS VARCHAR)
    END AS "week_text"
  FROM (
    SELECT
      value,
      day,
      year_number - ((year_number % 100) + 100) % 100 AS "century_number",
      year_number - ((year_number % 10) + 10) % 10 AS "decade_number",
      year_number AS "year_number",
      CAST(EXTRACT(QUARTER FROM day) AS INTEGER) AS "quarter_number",
      CAST(EXTRACT(MONTH FROM day) AS INTEGER) AS "month_number",
      CAST(EXTRACT(DAY FROM day) AS INTEGER) AS "day_number",
      CAST(EXTRACT(ISOYEAR FROM "day") AS INTEGER) AS "week_year_number",
      CAST(EXTRACT(WEEK FROM day) AS INTEGER) AS "week_number"
    FROM (
      SELECT
        value,
        day,
        CAST(EXTRACT(YEAR FROM day) AS INTEGER) AS year_number
      FROM (
        SELECT
          value,
          CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("value" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("value" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS day
        FROM "visits" AS d
      ) AS m
    ) AS n
  ) AS c
) AS t

-- postgres
CREATE TEMP TABLE "dates" AS
SELECT
  value,
  year_text || '-' || month_text || '-' || day_text AS "level_1",
  week_year_text || '-W' || week_text AS "level_2",
  year_text || '-' || month_text AS "level_3",
  year_text || '-Q' || quarter_text AS "level_4",
  year_text AS "level_5",
  decade_text || 's' AS "level_6",
  century_text || 's' AS "level_7",
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS "level_8"
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN "century_number" IS NULL THEN NULL
      ELSE CAST("century_number" AS TEXT)
    END AS "century_text",
    CASE
      WHEN "decade_number" IS NULL THEN NULL
      ELSE CAST("decade_number" AS TEXT)
    END AS "decade_text",
    CASE
      WHEN "year_number" BETWEEN 0 AND 9999 THEN LPAD(CAST("year_number" AS TEXT), 4, '0')
      ELSE CAST("year_number" AS TEXT)
    END AS "year_text",
    CASE
      WHEN "quarter_number" IS NULL THEN NULL
      ELSE CAST("quarter_number" AS TEXT)
    END AS "quarter_text",
    CASE
      WHEN "month_number" BETWEEN 0 AND 99 THEN LPAD(CAST("month_number" AS TEXT), 2, '0')
      ELSE CAST("month_number" AS TEXT)
    END AS "month_text",
    CASE
      WHEN "day_number" BETWEEN 0 AND 99 THEN LPAD(CAST("day_number" AS TEXT), 2, '0')
      ELSE CAST("day_number" AS TEXT)
    END AS "day_text",
    CASE
      WHEN "week_year_number" BETWEEN 0 AND 9999 THEN LPAD(CAST("week_year_number" AS TEXT), 4, '0')
      ELSE CAST("week_year_number" AS TEXT)
    END AS "week_year_text",
    CASE
      WHEN "week_number" BETWEEN 0 AND 99 THEN LPAD(CAST("week_number" AS TEXT), 2, '0')
      ELSE CAST("week_number" AS TEXT)
    END AS "week_text"
  FROM (
    SELECT
      value,
      day,
      year_number - ((year_number % 100) + 100) % 100 AS "century_number",
      year_number - ((year_number % 10) + 10) % 10 AS "decade_number",
      year_number AS "year_number",
      CAST(EXTRACT(QUARTER FROM day) AS INTEGER) AS "quarter_number",
      CAST(EXTRACT(MONTH FROM day) AS INTEGER) AS "month_number",
      CAST(EXTRACT(DAY FROM day) AS INTEGER) AS "day_number",
      CAST(EXTRACT(ISOYEAR FROM "day") AS INTEGER) AS "week_year_number",
      CAST(EXTRACT(WEEK FROM day) AS INTEGER) AS "week_number"
    FROM (
      SELECT
        value,
        day,
        CAST(EXTRACT(YEAR FROM day) AS INTEGER) AS year_number
      FROM (
        SELECT
          value,
          CASE WHEN CAST("value" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("value" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("value" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END AS day
        FROM "visits" AS d
      ) AS m
    ) AS n
  ) AS c
) AS t

-- spark
CREATE TEMP VIEW `dates` AS
SELECT
  value,
  year_text || '-' || month_text || '-' || day_text AS `level_1`,
  week_year_text || '-W' || week_text AS `level_2`,
  year_text || '-' || month_text AS `level_3`,
  year_text || '-Q' || quarter_text AS `level_4`,
  year_text AS `level_5`,
  decade_text || 's' AS `level_6`,
  century_text || 's' AS `level_7`,
  CASE WHEN value IS NOT NULL AND day IS NULL THEN NULL ELSE '*' END AS `level_8`
FROM (
  SELECT
    value,
    day,
    CASE
      WHEN `century_number` IS NULL THEN NULL
      ELSE CAST(`century_number` AS STRING)
    END AS `century_text`,
    CASE
      WHEN `decade_number` IS NULL THEN NULL
      ELSE CAST(`decade_number` AS STRING)
    END AS `decade_text`,
    CASE
      WHEN `year_number` BETWEEN 0 AND 9999 THEN LPAD(CAST(`year_number` AS STRING), 4, '0')
      ELSE CAST(`year_number` AS STRING)
    END AS `year_text`,
    CASE
      WHEN `quarter_number` IS NULL THEN NULL
      ELSE CAST(`quarter_number` AS STRING)
    END AS `quarter_text`,
    CASE
      WHEN `month_number` BETWEEN 0 AND 99 THEN LPAD(CAST(`month_number` AS STRING), 2, '0')
      ELSE CAST(`month_number` AS STRING)
    END AS `month_text`,
    CASE
      WHEN `day_number` BETWEEN 0 AND 99 THEN LPAD(CAST(`day_number` AS STRING), 2, '0')
      ELSE CAST(`day_number` AS STRING)
    END AS `day_text`,
    CASE
      WHEN `week_year_number` BETWEEN 0 AND 9999 THEN LPAD(CAST(`week_year_number` AS STRING), 4, '0')
      ELSE CAST(`week_year_number` AS STRING)
    END AS `week_year_text`,
    CASE
      WHEN `week_number` BETWEEN 0 AND 99 THEN LPAD(CAST(`week_number` AS STRING), 2, '0')
      ELSE CAST(`week_number` AS STRING)
    END AS `week_text`
  FROM (
    SELECT
      value,
      day,
      year_number - ((year_number % 100) + 100) % 100 AS `century_number`,
      year_number - ((year_number % 10) + 10) % 10 AS `decade_number`,
      year_number AS `year_number`,
      CAST(EXTRACT(QUARTER FROM day) AS INTEGER) AS `quarter_number`,
      CAST(EXTRACT(MONTH FROM day) AS INTEGER) AS `month_number`,
      CAST(EXTRACT(DAY FROM day) AS INTEGER) AS `day_number`,
      CAST(EXTRACT(YEAROFWEEK FROM `day`) AS INTEGER) AS `week_year_number`,
      CAST(EXTRACT(WEEK FROM day) AS INTEGER) AS `week_number`
    FROM (
      SELECT
        value,
        day,
        CAST(EXTRACT(YEAR FROM day) AS INTEGER) AS year_number
      FROM (
        SELECT
          value,
          CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`value` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`value` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`value` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS day
        FROM `visits` AS d
      ) AS m
    ) AS n
  ) AS c
) AS t
