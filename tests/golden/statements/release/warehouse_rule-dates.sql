-- duckdb
WITH
kanon_source AS (
  SELECT DISTINCT
    "s"."vis.it" AS "in_0",
    "s"."vis.it" AS "in_1",
    "s"."vis.it" AS "in_2",
    "s"."vis.it" AS "in_3",
    "s"."vis.it" AS "in_4",
    "s"."vis.it" AS "in_5"
  FROM "the source; DROP TABLE x" AS s
),
kanon_placed AS (
  SELECT
    s.*,
    CAST(EXTRACT(YEAR FROM CAST("s"."in_0" AS DATE)) AS INTEGER) AS "year_0",
    CAST(EXTRACT(MONTH FROM CAST("s"."in_0" AS DATE)) AS INTEGER) AS "month_0",
    CAST(EXTRACT(DAY FROM CAST("s"."in_0" AS DATE)) AS INTEGER) AS "day_0",
    CAST(EXTRACT(YEAR FROM CAST("s"."in_1" AS DATE)) AS INTEGER) AS "year_1",
    CAST(EXTRACT(MONTH FROM CAST("s"."in_1" AS DATE)) AS INTEGER) AS "month_1",
    CAST(EXTRACT(DAY FROM CAST("s"."in_1" AS DATE)) AS INTEGER) AS "day_1",
    CAST(EXTRACT(YEAR FROM CAST("s"."in_2" AS DATE)) AS INTEGER) AS "year_2",
    CAST(EXTRACT(MONTH FROM CAST("s"."in_2" AS DATE)) AS INTEGER) AS "month_2",
    CAST(EXTRACT(DAY FROM CAST("s"."in_2" AS DATE)) AS INTEGER) AS "day_2",
    CAST(EXTRACT(YEAR FROM CAST("s"."in_3" AS DATE)) AS INTEGER) AS "year_3",
    CAST(EXTRACT(MONTH FROM CAST("s"."in_3" AS DATE)) AS INTEGER) AS "month_3",
    CAST(EXTRACT(DAY FROM CAST("s"."in_3" AS DATE)) AS INTEGER) AS "day_3",
    CAST(EXTRACT(YEAR FROM CAST("s"."in_4" AS DATE)) AS INTEGER) AS "year_4",
    CAST(EXTRACT(MONTH FROM CAST("s"."in_4" AS DATE)) AS INTEGER) AS "month_4",
    CAST(EXTRACT(DAY FROM CAST("s"."in_4" AS DATE)) AS INTEGER) AS "day_4",
    CAST(EXTRACT(YEAR FROM CAST("s"."in_5" AS DATE)) AS INTEGER) AS "year_5",
    CAST(EXTRACT(MONTH FROM CAST("s"."in_5" AS DATE)) AS INTEGER) AS "month_5",
    CAST(EXTRACT(DAY FROM CAST("s"."in_5" AS DATE)) AS INTEGER) AS "day_5"
  FROM kanon_source AS s
),
kanon_started AS (
  SELECT
    s.*
  FROM kanon_placed AS s
),
kanon_labelled AS (
  SELECT
    CASE
      WHEN "year_0" IS NULL THEN NULL
      ELSE SUBSTRING(CAST(10000 + "year_0" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_0" AS TEXT), 2, 2) || '-' || SUBSTRING(CAST(100 + "day_0" AS TEXT), 2, 2)
    END AS "out_0",
    CASE
      WHEN "year_1" IS NULL THEN NULL
      ELSE SUBSTRING(CAST(10000 + "year_1" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_1" AS TEXT), 2, 2)
    END AS "out_1",
    CASE
      WHEN "year_2" IS NULL THEN NULL
      ELSE SUBSTRING(CAST(10000 + "year_2" AS TEXT), 2, 4) || CASE WHEN "month_2" <= 3 THEN '-Q1' WHEN "month_2" <= 6 THEN '-Q2' WHEN "month_2" <= 9 THEN '-Q3' ELSE '-Q4' END
    END AS "out_2",
    CASE
      WHEN "year_3" IS NULL THEN NULL
      ELSE SUBSTRING(CAST(10000 + "year_3" AS TEXT), 2, 4)
    END AS "out_3",
    CASE
      WHEN "year_4" IS NULL THEN NULL
      ELSE CAST("year_4" - "year_4" % 10 AS TEXT) || 's'
    END AS "out_4",
    CASE
      WHEN "year_5" IS NULL THEN NULL
      ELSE CAST("year_5" - "year_5" % 100 AS TEXT) || 's'
    END AS "out_5",
    "s"."in_0" AS value,
    CASE
      WHEN 1 = 0 THEN 1
      WHEN "s"."in_0" IS NOT NULL AND ("year_0" IS NULL OR "year_0" < 0 OR "year_0" > 9999 OR SUBSTRING(CAST("s"."in_0" AS VARCHAR), 1, 10) <> SUBSTRING(CAST(10000 + "year_0" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_0" AS TEXT), 2, 2) || '-' || SUBSTRING(CAST(100 + "day_0" AS TEXT), 2, 2)) THEN 1
      WHEN "s"."in_1" IS NOT NULL AND ("year_1" IS NULL OR "year_1" < 0 OR "year_1" > 9999 OR SUBSTRING(CAST("s"."in_1" AS VARCHAR), 1, 10) <> SUBSTRING(CAST(10000 + "year_1" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_1" AS TEXT), 2, 2) || '-' || SUBSTRING(CAST(100 + "day_1" AS TEXT), 2, 2)) THEN 1
      WHEN "s"."in_2" IS NOT NULL AND ("year_2" IS NULL OR "year_2" < 0 OR "year_2" > 9999 OR SUBSTRING(CAST("s"."in_2" AS VARCHAR), 1, 10) <> SUBSTRING(CAST(10000 + "year_2" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_2" AS TEXT), 2, 2) || '-' || SUBSTRING(CAST(100 + "day_2" AS TEXT), 2, 2)) THEN 1
      WHEN "s"."in_3" IS NOT NULL AND ("year_3" IS NULL OR "year_3" < 0 OR "year_3" > 9999 OR SUBSTRING(CAST("s"."in_3" AS VARCHAR), 1, 10) <> SUBSTRING(CAST(10000 + "year_3" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_3" AS TEXT), 2, 2) || '-' || SUBSTRING(CAST(100 + "day_3" AS TEXT), 2, 2)) THEN 1
      WHEN "s"."in_4" IS NOT NULL AND ("year_4" IS NULL OR "year_4" < 0 OR "year_4" > 9999 OR SUBSTRING(CAST("s"."in_4" AS VARCHAR), 1, 10) <> SUBSTRING(CAST(10000 + "year_4" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_4" AS TEXT), 2, 2) || '-' || SUBSTRING(CAST(100 + "day_4" AS TEXT), 2, 2)) THEN 1
      WHEN "s"."in_5" IS NOT NULL AND ("year_5" IS NULL OR "year_5" < 0 OR "year_5" > 9999 OR SUBSTRING(CAST("s"."in_5" AS VARCHAR), 1, 10) <> SUBSTRING(CAST(10000 + "year_5" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_5" AS TEXT), 2, 2) || '-' || SUBSTRING(CAST(100 + "day_5" AS TEXT), 2, 2)) THEN 1
      ELSE 0
    END AS kanon_lost
  FROM kanon_started AS s
)
SELECT
  r.value AS value,
  CASE WHEN r.kanon_lost = 0 THEN r."out_0" END AS "level_1",
  CASE WHEN r.kanon_lost = 0 THEN r."out_1" END AS "level_2",
  CASE WHEN r.kanon_lost = 0 THEN r."out_2" END AS "level_3",
  CASE WHEN r.kanon_lost = 0 THEN r."out_3" END AS "level_4",
  CASE WHEN r.kanon_lost = 0 THEN r."out_4" END AS "level_5",
  CASE WHEN r.kanon_lost = 0 THEN r."out_5" END AS "level_6"
FROM kanon_labelled AS r
