-- duckdb
CREATE TEMP TABLE "measu'red labels age
of 👩" AS
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
      CONCAT(COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '')) AS label,
      1 AS leaves,
      d.row_count
    FROM "domain age
of 👩" AS d
    JOIN "complete age
of 👩" AS p
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
      CONCAT(COALESCE('v' || decode(encode(CAST("p"."low_1" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("p"."high_1" AS VARCHAR))), '')) AS label,
      "p"."leaves_1" AS leaves,
      d.row_count
    FROM "domain age
of 👩" AS d
    JOIN "complete age
of 👩" AS p
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
      CONCAT(COALESCE('v' || decode(encode(CAST("p"."low_2" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("p"."high_2" AS VARCHAR))), '')) AS label,
      "p"."leaves_2" AS leaves,
      d.row_count
    FROM "domain age
of 👩" AS d
    JOIN "complete age
of 👩" AS p
      ON "d"."value" IS NOT DISTINCT FROM "p"."value"  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    3 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      '|' AS label,
      "p"."leaves_3" AS leaves,
      d.row_count
    FROM "domain age
of 👩" AS d
    JOIN "complete age
of 👩" AS p
      ON "d"."value" IS NOT DISTINCT FROM "p"."value"  ) AS v
  GROUP BY label
) AS l
GROUP BY label

-- postgres
CREATE TEMP TABLE "measu'red labels age
of 👩" AS
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
      CONCAT(COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), '')) AS label,
      1 AS leaves,
      d.row_count
    FROM "domain age
of 👩" AS d
    JOIN "complete age
of 👩" AS p
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
      CONCAT(COALESCE('v' || (CAST("p"."low_1" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("p"."high_1" AS TEXT) COLLATE "default"), '')) AS label,
      "p"."leaves_1" AS leaves,
      d.row_count
    FROM "domain age
of 👩" AS d
    JOIN "complete age
of 👩" AS p
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
      CONCAT(COALESCE('v' || (CAST("p"."low_2" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("p"."high_2" AS TEXT) COLLATE "default"), '')) AS label,
      "p"."leaves_2" AS leaves,
      d.row_count
    FROM "domain age
of 👩" AS d
    JOIN "complete age
of 👩" AS p
      ON ARRAY["d"."value"] = ARRAY["p"."value"]  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    3 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      '|' AS label,
      "p"."leaves_3" AS leaves,
      d.row_count
    FROM "domain age
of 👩" AS d
    JOIN "complete age
of 👩" AS p
      ON ARRAY["d"."value"] = ARRAY["p"."value"]  ) AS v
  GROUP BY label
) AS l
GROUP BY label

-- spark
CREATE TEMP VIEW `measu'red labels age
of 👩` AS
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
      CONCAT(COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), '')) AS label,
      1 AS leaves,
      d.row_count
    FROM `domain age
of 👩` AS d
    JOIN `complete age
of 👩` AS p
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
      CONCAT(COALESCE('v' || (CAST(`p`.`low_1` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`p`.`high_1` AS STRING) COLLATE UTF8_BINARY), '')) AS label,
      `p`.`leaves_1` AS leaves,
      d.row_count
    FROM `domain age
of 👩` AS d
    JOIN `complete age
of 👩` AS p
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
      CONCAT(COALESCE('v' || (CAST(`p`.`low_2` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`p`.`high_2` AS STRING) COLLATE UTF8_BINARY), '')) AS label,
      `p`.`leaves_2` AS leaves,
      d.row_count
    FROM `domain age
of 👩` AS d
    JOIN `complete age
of 👩` AS p
      ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`  ) AS v
  GROUP BY label
  UNION ALL
  SELECT
    3 AS level,
    label,
    MAX(leaves) AS leaves,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      '|' AS label,
      `p`.`leaves_3` AS leaves,
      d.row_count
    FROM `domain age
of 👩` AS d
    JOIN `complete age
of 👩` AS p
      ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`  ) AS v
  GROUP BY label
) AS l
GROUP BY label
