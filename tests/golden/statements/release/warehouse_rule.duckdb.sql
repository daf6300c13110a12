-- warehouse_rule
WITH
kanon_source AS (
  SELECT DISTINCT
    "s"."zip; --" AS "in_0",
    "s"."zip; --" AS "in_1"
  FROM "the source; DROP TABLE x" AS s
),
kanon_placed AS (
  SELECT
    s.*
  FROM kanon_source AS s
),
kanon_started AS (
  SELECT
    s.*
  FROM kanon_placed AS s
),
kanon_labelled AS (
  SELECT
    CASE WHEN "s"."in_0" IS NULL THEN NULL ELSE SUBSTRING(CAST("s"."in_0" AS VARCHAR), 1, 2) || '#' END AS "out_0",
    CAST('###' AS TEXT) AS "out_1",
    "s"."in_0" AS value,
    CASE
      WHEN 1 = 0 THEN 1
      WHEN LENGTH(CAST("s"."in_0" AS VARCHAR) || '.') - 1 > 3 THEN 1
      ELSE 0
    END AS kanon_lost
  FROM kanon_started AS s
)
SELECT
  r.value AS value,
  CASE WHEN r.kanon_lost = 0 THEN r."out_0" END AS "level_1",
  CASE WHEN r.kanon_lost = 0 THEN r."out_1" END AS "level_2"
FROM kanon_labelled AS r
