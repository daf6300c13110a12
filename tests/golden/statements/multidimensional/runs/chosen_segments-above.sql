-- duckdb, postgres
CREATE TEMP TABLE "cho'sen" AS
SELECT
  j.section,
  2 * j.segment AS segment,
  j.low_step,
  CASE WHEN j.middle < 0 THEN j.high_step ELSE j.middle END AS high_step
FROM "pai'rs" AS j
JOIN "hal'ves" AS a ON a.section = j.section AND a.segment = j.segment AND a.low_step = j.low_step AND a.high_step = j.high_step
UNION ALL
SELECT
  j.section,
  2 * j.segment + 1 AS segment,
  j.middle AS low_step,
  j.high_step
FROM "pai'rs" AS j
JOIN "hal'ves" AS a ON a.section = j.section AND a.segment = j.segment AND a.low_step = j.low_step AND a.high_step = j.high_step
WHERE j.middle >= 0

-- spark
CREATE TEMP VIEW `cho'sen` AS
SELECT
  j.section,
  2 * j.segment AS segment,
  j.low_step,
  CASE WHEN j.middle < 0 THEN j.high_step ELSE j.middle END AS high_step
FROM `pai'rs` AS j
JOIN `hal'ves` AS a ON a.section = j.section AND a.segment = j.segment AND a.low_step = j.low_step AND a.high_step = j.high_step
UNION ALL
SELECT
  j.section,
  2 * j.segment + 1 AS segment,
  j.middle AS low_step,
  j.high_step
FROM `pai'rs` AS j
JOIN `hal'ves` AS a ON a.section = j.section AND a.segment = j.segment AND a.low_step = j.low_step AND a.high_step = j.high_step
WHERE j.middle >= 0
