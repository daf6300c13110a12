-- warehouse_release-rows
CREATE TABLE "re'lease of rows" AS
WITH
"kanon_map_0" AS (
  SELECT CAST('F' AS TEXT) AS value, CAST('person' AS TEXT) AS label UNION ALL
  SELECT 'M', 'person'
),
"kanon_map_2" AS (
  SELECT value, "level_1" AS label FROM "complete SELECT" AS h WHERE value IS NOT NULL
),
kanon_source AS (
  SELECT
    "s"."se""x" AS "in_0",
    "s"."zip; --" AS "in_1",
    "s"."SELECT" AS "in_2",
    "s"."vis.it" AS "in_3",
    "s"."na'me" AS "in_4",
    "s"."dis'ease" AS "in_5"
  FROM "the source; DROP TABLE x" AS s
),
kanon_placed AS (
  SELECT
    s.*,
    CAST(EXTRACT(YEAR FROM CAST("s"."in_3" AS DATE)) AS INTEGER) AS "year_3",
    CAST(EXTRACT(MONTH FROM CAST("s"."in_3" AS DATE)) AS INTEGER) AS "month_3",
    CAST(EXTRACT(DAY FROM CAST("s"."in_3" AS DATE)) AS INTEGER) AS "day_3"
  FROM kanon_source AS s
),
kanon_started AS (
  SELECT
    s.*
  FROM kanon_placed AS s
),
kanon_recoded AS (
  SELECT
    CASE WHEN "s"."in_0" IS NULL THEN 'person' ELSE "q0"."label" END AS "out_0",
    CASE WHEN "s"."in_1" IS NULL THEN NULL ELSE SUBSTRING(CAST("s"."in_1" AS VARCHAR), 1, 2) || '#' END AS "out_1",
    CASE WHEN "s"."in_2" IS NULL THEN (SELECT MAX(n."level_1") FROM "complete SELECT" AS n WHERE n.value IS NULL) ELSE "q2"."label" END AS "out_2",
    CASE
      WHEN "year_3" IS NULL THEN NULL
      ELSE SUBSTRING(CAST(10000 + "year_3" AS TEXT), 2, 4) || CASE WHEN "month_3" <= 3 THEN '-Q1' WHEN "month_3" <= 6 THEN '-Q2' WHEN "month_3" <= 9 THEN '-Q3' ELSE '-Q4' END
    END AS "out_3",
    CASE WHEN 1 = 0 THEN "s"."in_4" END AS "out_4",
    "s"."in_5" AS "out_5",
    CASE
      WHEN 1 = 0 THEN 1
      WHEN "s"."in_0" IS NOT NULL AND "q0"."value" IS NULL THEN 1
      WHEN LENGTH(CAST("s"."in_1" AS VARCHAR) || '.') - 1 > 3 THEN 1
      WHEN "s"."in_2" IS NOT NULL AND "q2"."value" IS NULL THEN 1
      WHEN "s"."in_3" IS NOT NULL AND ("year_3" IS NULL OR "year_3" < 0 OR "year_3" > 9999 OR SUBSTRING(CAST("s"."in_3" AS VARCHAR), 1, 10) <> SUBSTRING(CAST(10000 + "year_3" AS TEXT), 2, 4) || '-' || SUBSTRING(CAST(100 + "month_3" AS TEXT), 2, 2) || '-' || SUBSTRING(CAST(100 + "day_3" AS TEXT), 2, 2)) THEN 1
      ELSE 0
    END AS kanon_lost
  FROM kanon_started AS s
  LEFT JOIN "kanon_map_0" AS "q0" ON "q0"."value" || '.' = CAST("s"."in_0" AS VARCHAR) || '.'
  LEFT JOIN "kanon_map_2" AS "q2" ON "q2"."value" || '.' = CAST("s"."in_2" AS VARCHAR) || '.'
),
kanon_keyed AS (
  SELECT
    r.*,
CASE WHEN r."out_0" IS NULL THEN 'n' ELSE 'v' || CAST(r."out_0" AS TEXT) || '.' END AS "key_0",
CASE WHEN r."out_1" IS NULL THEN 'n' ELSE 'v' || CAST(r."out_1" AS TEXT) || '.' END AS "key_1",
CASE WHEN r."out_2" IS NULL THEN 'n' ELSE 'v' || CAST(r."out_2" AS TEXT) || '.' END AS "key_2",
CASE WHEN r."out_3" IS NULL THEN 'n' ELSE 'v' || CAST(r."out_3" AS TEXT) || '.' END AS "key_3"
  FROM kanon_recoded AS r
),
kanon_classes AS (
  SELECT
    r."key_0" AS "key_0",
    r."out_0" AS "out_0",
    r."key_1" AS "key_1",
    r."out_1" AS "out_1",
    r."key_2" AS "key_2",
    r."out_2" AS "out_2",
    r."key_3" AS "key_3",
    r."out_3" AS "out_3",
    COUNT(*) AS class_rows
  FROM kanon_keyed AS r
  WHERE r.kanon_lost = 0
  GROUP BY r."key_0", r."out_0", r."key_1", r."out_1", r."key_2", r."out_2", r."key_3", r."out_3"
  HAVING
    COUNT(*) >= 1
),
kanon_staged AS (
  SELECT
    r."out_0" AS "out_0",
    r."out_1" AS "out_1",
    r."out_2" AS "out_2",
    r."out_3" AS "out_3",
    r."out_4" AS "out_4",
    r."out_5" AS "out_5",
    1 AS kanon_one
  FROM kanon_keyed AS r
  JOIN kanon_classes AS c
    ON r."key_0" = c."key_0" AND (r."out_0" = c."out_0" OR (r."out_0" IS NULL AND c."out_0" IS NULL)) AND r."key_1" = c."key_1" AND (r."out_1" = c."out_1" OR (r."out_1" IS NULL AND c."out_1" IS NULL)) AND r."key_2" = c."key_2" AND (r."out_2" = c."out_2" OR (r."out_2" IS NULL AND c."out_2" IS NULL)) AND r."key_3" = c."key_3" AND (r."out_3" = c."out_3" OR (r."out_3" IS NULL AND c."out_3" IS NULL))
  WHERE r.kanon_lost = 0
),
kanon_recount AS (
  SELECT
    COALESCE(SUM(g.class_rows), 0) AS row_count,
    COALESCE(SUM(CASE WHEN "kanon_measure_0" >= 1 THEN 0 ELSE 1 END), 0) AS short_classes
  FROM (
    SELECT
      COUNT(*) AS class_rows,
      COUNT(*) AS "kanon_measure_0"
    FROM kanon_staged AS t
    GROUP BY t."out_0", CAST(t."out_0" AS TEXT) || '.', t."out_1", CAST(t."out_1" AS TEXT) || '.', t."out_2", CAST(t."out_2" AS TEXT) || '.', t."out_3", CAST(t."out_3" AS TEXT) || '.'
  ) AS g
),
kanon_counts AS (
  SELECT
    o.row_count AS source_rows,
    l.row_count AS recoded_rows,
    l.lost_rows AS lost_rows,
    v.row_count AS staged_rows,
    v.short_classes AS short_classes
  FROM (SELECT COUNT(*) AS row_count FROM kanon_source AS s) AS o
  CROSS JOIN (SELECT COUNT(*) AS row_count, COALESCE(SUM(r.kanon_lost), 0) AS lost_rows FROM kanon_recoded AS r) AS l
  CROSS JOIN kanon_recount AS v
),
kanon_verdict AS (
  SELECT
    CAST(
      CASE
        WHEN n.lost_rows > 0 OR n.recoded_rows <> n.source_rows THEN 'the source has rows without a place in the hierarchies; rows: ' || CAST(n.lost_rows AS TEXT)
        WHEN n.source_rows - n.staged_rows > 8 THEN 'more rows would be suppressed than the policy allows; rows: ' || CAST(n.source_rows - n.staged_rows AS TEXT)
        WHEN n.short_classes > 0 OR n.staged_rows = 0 THEN 'the staged rows fail their recount; classes: ' || CAST(n.short_classes AS TEXT)
        ELSE '1'
      END AS INTEGER
    ) AS kanon_one
  FROM kanon_counts AS n
)
SELECT
  t."out_0" AS "se""x",
  t."out_1" AS "zip; --",
  t."out_2" AS "SELECT",
  t."out_3" AS "vis.it",
  t."out_4" AS "na'me",
  t."out_5" AS "dis'ease"
FROM kanon_verdict AS v
LEFT JOIN kanon_staged AS t ON t.kanon_one = v.kanon_one
WHERE v.kanon_one = 1
