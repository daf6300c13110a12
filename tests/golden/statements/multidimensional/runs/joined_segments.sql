-- duckdb, postgres
CREATE TEMP TABLE "pai'rs" AS
SELECT
  section,
  CAST(segment / 2 AS BIGINT) AS segment,
  low_step,
  high_step,
  CAST((segments + segments % 2) / 2 AS BIGINT) AS segments,
  MIN(loss) AS loss,
  MIN(loss * 11 + middle) - MIN(loss) * 11 AS middle
FROM (
  SELECT
    l.section,
    l.segment,
    l.low_step,
    r.high_step,
    l.segments,
    l.loss + r.loss AS loss,
    l.high_step AS middle
  FROM "los'ses" AS l
  JOIN "los'ses" AS r ON r.section = l.section AND r.segment = l.segment + 1 AND r.low_step = l.high_step
  WHERE l.segment % 2 = 0
) AS p
GROUP BY section, segment, low_step, high_step, segments
UNION ALL
SELECT
  section,
  CAST(segment / 2 AS BIGINT) AS segment,
  low_step,
  high_step,
  CAST((segments + segments % 2) / 2 AS BIGINT) AS segments,
  loss,
  CAST(-1 AS BIGINT) AS middle
FROM "los'ses" AS l
WHERE segment % 2 = 0 AND segment + 1 = segments

-- spark
CREATE TEMP VIEW `pai'rs` AS
SELECT
  section,
  CAST(segment / 2 AS BIGINT) AS segment,
  low_step,
  high_step,
  CAST((segments + segments % 2) / 2 AS BIGINT) AS segments,
  MIN(loss) AS loss,
  MIN(loss * 11 + middle) - MIN(loss) * 11 AS middle
FROM (
  SELECT
    l.section,
    l.segment,
    l.low_step,
    r.high_step,
    l.segments,
    l.loss + r.loss AS loss,
    l.high_step AS middle
  FROM `los'ses` AS l
  JOIN `los'ses` AS r ON r.section = l.section AND r.segment = l.segment + 1 AND r.low_step = l.high_step
  WHERE l.segment % 2 = 0
) AS p
GROUP BY section, segment, low_step, high_step, segments
UNION ALL
SELECT
  section,
  CAST(segment / 2 AS BIGINT) AS segment,
  low_step,
  high_step,
  CAST((segments + segments % 2) / 2 AS BIGINT) AS segments,
  loss,
  CAST(-1 AS BIGINT) AS middle
FROM `los'ses` AS l
WHERE segment % 2 = 0 AND segment + 1 = segments
