-- duckdb
CREATE TEMP TABLE "measu'red labels zip; --" AS
SELECT
  label,
  CASE WHEN MIN(level) = MAX(level) THEN MIN(level) END AS level,
  CASE WHEN MIN(leaves) = MAX(leaves) THEN MIN(leaves) END AS leaves,
  MAX(row_count) AS row_count
FROM (
  SELECT
    0 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS label,
      1 AS leaves,
      d.row_count
    FROM "domain zip; --" AS d
    JOIN "complete zip; --" AS p
      ON "d"."value" IS NOT DISTINCT FROM "p"."value"  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    1 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || decode(encode(CAST("p"."level_1" AS VARCHAR))), '') AS label,
      "p"."leaves_1" AS leaves,
      d.row_count
    FROM "domain zip; --" AS d
    JOIN "complete zip; --" AS p
      ON "d"."value" IS NOT DISTINCT FROM "p"."value"  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    2 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || decode(encode(CAST("p"."level_2" AS VARCHAR))), '') AS label,
      "p"."leaves_2" AS leaves,
      d.row_count
    FROM "domain zip; --" AS d
    JOIN "complete zip; --" AS p
      ON "d"."value" IS NOT DISTINCT FROM "p"."value"  ) AS v
  GROUP BY label
) AS l
GROUP BY label

-- postgres
CREATE TEMP TABLE "measu'red labels zip; --" AS
SELECT
  label,
  CASE WHEN MIN(level) = MAX(level) THEN MIN(level) END AS level,
  CASE WHEN MIN(leaves) = MAX(leaves) THEN MIN(leaves) END AS leaves,
  MAX(row_count) AS row_count
FROM (
  SELECT
    0 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), '') AS label,
      1 AS leaves,
      d.row_count
    FROM "domain zip; --" AS d
    JOIN "complete zip; --" AS p
      ON ARRAY["d"."value"] = ARRAY["p"."value"]  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    1 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || (CAST("p"."level_1" AS TEXT) COLLATE "default"), '') AS label,
      "p"."leaves_1" AS leaves,
      d.row_count
    FROM "domain zip; --" AS d
    JOIN "complete zip; --" AS p
      ON ARRAY["d"."value"] = ARRAY["p"."value"]  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    2 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || (CAST("p"."level_2" AS TEXT) COLLATE "default"), '') AS label,
      "p"."leaves_2" AS leaves,
      d.row_count
    FROM "domain zip; --" AS d
    JOIN "complete zip; --" AS p
      ON ARRAY["d"."value"] = ARRAY["p"."value"]  ) AS v
  GROUP BY label
) AS l
GROUP BY label

-- spark
CREATE TEMP VIEW `measu'red labels zip; --` AS
SELECT
  label,
  CASE WHEN MIN(level) = MAX(level) THEN MIN(level) END AS level,
  CASE WHEN MIN(leaves) = MAX(leaves) THEN MIN(leaves) END AS leaves,
  MAX(row_count) AS row_count
FROM (
  SELECT
    0 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), '') AS label,
      1 AS leaves,
      d.row_count
    FROM `domain zip; --` AS d
    JOIN `complete zip; --` AS p
      ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    1 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || (CAST(`p`.`level_1` AS STRING) COLLATE UTF8_BINARY), '') AS label,
      `p`.`leaves_1` AS leaves,
      d.row_count
    FROM `domain zip; --` AS d
    JOIN `complete zip; --` AS p
      ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    2 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      COALESCE('v' || (CAST(`p`.`level_2` AS STRING) COLLATE UTF8_BINARY), '') AS label,
      `p`.`leaves_2` AS leaves,
      d.row_count
    FROM `domain zip; --` AS d
    JOIN `complete zip; --` AS p
      ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`  ) AS v
  GROUP BY label
) AS l
GROUP BY label
