-- duckdb
WITH
kanon_source AS (
  SELECT DISTINCT
    "s"."age
of 👩" AS "in_0",
    "s"."age
of 👩" AS "in_1"
  FROM "the source; DROP TABLE x" AS s
),
kanon_placed AS (
  SELECT
    s.*,
    CAST("s"."in_0" AS BIGINT) AS "place_0"
  FROM kanon_source AS s
),
kanon_started AS (
  SELECT
    s.*,
    "place_0" - (("place_0" - 0) % 10 + 10) % 10 AS "start_0"
  FROM kanon_placed AS s
),
kanon_labelled AS (
  SELECT
    CASE
      WHEN "place_0" IS NULL THEN NULL
      WHEN "place_0" >= 60 THEN '>= 60'
      ELSE '[' || CAST("start_0" AS TEXT)
        || ', ' || CAST(CASE WHEN "start_0" + 10 > 60 THEN 60 ELSE "start_0" + 10 END AS TEXT) || ')'
    END AS "out_0",
    CAST('*' AS TEXT) AS "out_1",
    "s"."in_0" AS value,
    CASE
      WHEN 1 = 0 THEN 1
      WHEN "s"."in_0" IS NOT NULL AND ("place_0" IS NULL OR CAST("place_0" AS TEXT) <> CAST("s"."in_0" AS VARCHAR) OR "place_0" >= 1000000000000000 OR "place_0" <= -1000000000000000) THEN 1
      ELSE 0
    END AS kanon_lost
  FROM kanon_started AS s
)
SELECT
  r.value AS value,
  CASE WHEN r.kanon_lost = 0 THEN r."out_0" END AS "level_1",
  CASE WHEN r.kanon_lost = 0 THEN r."out_1" END AS "level_2"
FROM kanon_labelled AS r
