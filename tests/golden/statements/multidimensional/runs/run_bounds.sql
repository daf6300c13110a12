-- duckdb, postgres
CREATE TEMP TABLE "boun'ded" AS
SELECT
  b.section,
  b.block AS segment,
  b.step AS low_step,
  n.number AS high_step,
  b.runs AS segments,
  2 + CASE WHEN b.steps = 0 THEN 0 ELSE CAST((n.number * b.slack - (n.number * b.slack) % b.steps - (b.step * b.slack - (b.step * b.slack) % b.steps)) / b.steps AS BIGINT) END AS row_count,
  LEAST("b"."low_0", COALESCE("u"."low_0", "b"."low_0")) AS "low_0",
  GREATEST("b"."high_0", COALESCE("u"."high_0", "b"."high_0")) AS "high_0",
  LEAST("b"."low_1", COALESCE("u"."low_1", "b"."low_1")) AS "low_1",
  GREATEST("b"."high_1", COALESCE("u"."high_1", "b"."high_1")) AS "high_1",
  LEAST("b"."low_2", COALESCE("u"."low_2", "b"."low_2")) AS "low_2",
  GREATEST("b"."high_2", COALESCE("u"."high_2", "b"."high_2")) AS "high_2"
FROM (
  SELECT
    c.section,
    c.block,
    c.runs,
    c.slack,
    c.steps,
    n.number AS step,
    MIN("c"."low_0") AS "low_0",
    MAX("c"."high_0") AS "high_0",
    MIN("c"."low_1") AS "low_1",
    MAX("c"."high_1") AS "high_1",
    MIN("c"."low_2") AS "low_2",
    MAX("c"."high_2") AS "high_2"
  FROM (
    SELECT section, block, runs, slack, steps, last_step, MIN("place_0") AS "low_0", MAX("place_0") AS "high_0", MIN("place_1") AS "low_1", MAX("place_1") AS "high_1", MIN("place_2") AS "low_2", MAX("place_2") AS "high_2"
    FROM "blo'cks" AS k
    WHERE block < runs
    GROUP BY section, block, runs, slack, steps, last_step
  ) AS c
  JOIN "spa'ns" AS n ON n.first = 0 AND n.last = c.last_step - 1
  WHERE c.block > 0 OR n.number = 0
  GROUP BY c.section, c.block, c.runs, c.slack, c.steps, n.number
) AS b
JOIN "spa'ns" AS n ON n.first = b.step AND n.last = b.steps
LEFT JOIN (
  SELECT
    c.section,
    c.block,
    n.number AS step,
    MIN("c"."low_0") AS "low_0",
    MAX("c"."high_0") AS "high_0",
    MIN("c"."low_1") AS "low_1",
    MAX("c"."high_1") AS "high_1",
    MIN("c"."low_2") AS "low_2",
    MAX("c"."high_2") AS "high_2"
  FROM (
    SELECT section, block, steps, first_step, MIN("place_0") AS "low_0", MAX("place_0") AS "high_0", MIN("place_1") AS "low_1", MAX("place_1") AS "high_1", MIN("place_2") AS "low_2", MAX("place_2") AS "high_2"
    FROM "blo'cks" AS k
    WHERE block > 0 AND first_step <= steps
    GROUP BY section, block, steps, first_step
  ) AS c
  JOIN "spa'ns" AS n ON n.first = c.first_step AND n.last = c.steps
  GROUP BY c.section, c.block, n.number
) AS u
  ON u.section = b.section AND u.block = b.block + 1 AND u.step = n.number
WHERE b.block + 1 < b.runs OR n.number = b.steps

-- spark
CREATE TEMP VIEW `boun'ded` AS
SELECT
  b.section,
  b.block AS segment,
  b.step AS low_step,
  n.number AS high_step,
  b.runs AS segments,
  2 + CASE WHEN b.steps = 0 THEN 0 ELSE CAST((n.number * b.slack - (n.number * b.slack) % b.steps - (b.step * b.slack - (b.step * b.slack) % b.steps)) / b.steps AS BIGINT) END AS row_count,
  LEAST(`b`.`low_0`, COALESCE(`u`.`low_0`, `b`.`low_0`)) AS `low_0`,
  GREATEST(`b`.`high_0`, COALESCE(`u`.`high_0`, `b`.`high_0`)) AS `high_0`,
  LEAST(`b`.`low_1`, COALESCE(`u`.`low_1`, `b`.`low_1`)) AS `low_1`,
  GREATEST(`b`.`high_1`, COALESCE(`u`.`high_1`, `b`.`high_1`)) AS `high_1`,
  LEAST(`b`.`low_2`, COALESCE(`u`.`low_2`, `b`.`low_2`)) AS `low_2`,
  GREATEST(`b`.`high_2`, COALESCE(`u`.`high_2`, `b`.`high_2`)) AS `high_2`
FROM (
  SELECT
    c.section,
    c.block,
    c.runs,
    c.slack,
    c.steps,
    n.number AS step,
    MIN(`c`.`low_0`) AS `low_0`,
    MAX(`c`.`high_0`) AS `high_0`,
    MIN(`c`.`low_1`) AS `low_1`,
    MAX(`c`.`high_1`) AS `high_1`,
    MIN(`c`.`low_2`) AS `low_2`,
    MAX(`c`.`high_2`) AS `high_2`
  FROM (
    SELECT section, block, runs, slack, steps, last_step, MIN(`place_0`) AS `low_0`, MAX(`place_0`) AS `high_0`, MIN(`place_1`) AS `low_1`, MAX(`place_1`) AS `high_1`, MIN(`place_2`) AS `low_2`, MAX(`place_2`) AS `high_2`
    FROM `blo'cks` AS k
    WHERE block < runs
    GROUP BY section, block, runs, slack, steps, last_step
  ) AS c
  JOIN `spa'ns` AS n ON n.first = 0 AND n.last = c.last_step - 1
  WHERE c.block > 0 OR n.number = 0
  GROUP BY c.section, c.block, c.runs, c.slack, c.steps, n.number
) AS b
JOIN `spa'ns` AS n ON n.first = b.step AND n.last = b.steps
LEFT JOIN (
  SELECT
    c.section,
    c.block,
    n.number AS step,
    MIN(`c`.`low_0`) AS `low_0`,
    MAX(`c`.`high_0`) AS `high_0`,
    MIN(`c`.`low_1`) AS `low_1`,
    MAX(`c`.`high_1`) AS `high_1`,
    MIN(`c`.`low_2`) AS `low_2`,
    MAX(`c`.`high_2`) AS `high_2`
  FROM (
    SELECT section, block, steps, first_step, MIN(`place_0`) AS `low_0`, MAX(`place_0`) AS `high_0`, MIN(`place_1`) AS `low_1`, MAX(`place_1`) AS `high_1`, MIN(`place_2`) AS `low_2`, MAX(`place_2`) AS `high_2`
    FROM `blo'cks` AS k
    WHERE block > 0 AND first_step <= steps
    GROUP BY section, block, steps, first_step
  ) AS c
  JOIN `spa'ns` AS n ON n.first = c.first_step AND n.last = c.steps
  GROUP BY c.section, c.block, n.number
) AS u
  ON u.section = b.section AND u.block = b.block + 1 AND u.step = n.number
WHERE b.block + 1 < b.runs OR n.number = b.steps
