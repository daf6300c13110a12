-- duckdb, postgres
CREATE TEMP TABLE "hal'ves" AS
SELECT
  j.section,
  2 * j.segment AS segment,
  j.low_step,
  CASE WHEN j.middle < 0 THEN j.high_step ELSE j.middle END AS high_step
FROM "al'l" AS j
UNION ALL
SELECT
  j.section,
  2 * j.segment + 1 AS segment,
  j.middle AS low_step,
  j.high_step
FROM "al'l" AS j
WHERE j.middle >= 0

-- spark
CREATE TEMP VIEW `hal'ves` AS
SELECT
  j.section,
  2 * j.segment AS segment,
  j.low_step,
  CASE WHEN j.middle < 0 THEN j.high_step ELSE j.middle END AS high_step
FROM `al'l` AS j
UNION ALL
SELECT
  j.section,
  2 * j.segment + 1 AS segment,
  j.middle AS low_step,
  j.high_step
FROM `al'l` AS j
WHERE j.middle >= 0
