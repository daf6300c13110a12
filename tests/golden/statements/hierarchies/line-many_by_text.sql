-- duckdb
CREATE TEMP TABLE "many by text" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST("nth" AS DOUBLE) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        encode(CAST("d"."value" AS VARCHAR)) AS spot
      FROM "domain zip; --" AS d
    ) AS s
  ) AS r
) AS m

-- postgres
CREATE TEMP TABLE "many by text" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST("nth" AS DOUBLE PRECISION) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        (CAST("d"."value" AS TEXT) COLLATE "C") AS spot
      FROM "domain zip; --" AS d
    ) AS s
  ) AS r
) AS m

-- spark
CREATE TEMP VIEW `many by text` AS
SELECT
  value,
  place,
  CASE WHEN place >= 0 THEN CAST(`place` AS DOUBLE) END AS measure,
  CASE WHEN s.spots > 0 THEN CAST(`s`.`spots` AS DOUBLE) - 1 END AS span
FROM (
  SELECT
    r.value,
    CAST(CASE WHEN r.value IS NULL THEN -1 WHEN r.sort_key IS NOT NULL THEN r.nth + o.before END AS INTEGER) AS place
  FROM (
    SELECT
      f.*,
      DENSE_RANK() OVER (PARTITION BY in_order ORDER BY CASE WHEN sort_key IS NULL THEN 1 ELSE 0 END, sort_key) - 1 AS nth
    FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
SELECT
            value,
            sort_key
          FROM (
            SELECT
              d.value,
              CAST(CAST(`d`.`value` AS STRING) AS BINARY) AS sort_key
            FROM `domain zip; --` AS d
          ) AS v        ) AS k
        LEFT JOIN (
          SELECT
            low,
            LEAD(low) OVER (ORDER BY low) AS high,
            ROW_NUMBER() OVER (ORDER BY low) AS nth
          FROM (
            SELECT
              sort_key AS low,
              ROW_NUMBER() OVER (ORDER BY sort_key) AS place
            FROM (
              SELECT sort_key
              FROM (
SELECT
            value,
            sort_key
          FROM (
            SELECT
              d.value,
              CAST(CAST(`d`.`value` AS STRING) AS BINARY) AS sort_key
            FROM `domain zip; --` AS d
          ) AS v              ) AS k
              WHERE sort_key IS NOT NULL
              ORDER BY XXHASH64(sort_key), sort_key
              LIMIT 4096
            ) AS s
          ) AS b
          WHERE PMOD(place, 64) = 0
        ) AS t ON k.sort_key >= t.low AND (k.sort_key < t.high OR t.high IS NULL)
    ) AS f
  ) AS r
  LEFT JOIN (
    SELECT
      in_order,
      SUM(spots) OVER (ORDER BY in_order ROWS UNBOUNDED PRECEDING) - spots AS before
    FROM (
      SELECT
        in_order,
        COUNT(DISTINCT sort_key) AS spots
      FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
SELECT
            value,
            sort_key
          FROM (
            SELECT
              d.value,
              CAST(CAST(`d`.`value` AS STRING) AS BINARY) AS sort_key
            FROM `domain zip; --` AS d
          ) AS v        ) AS k
        LEFT JOIN (
          SELECT
            low,
            LEAD(low) OVER (ORDER BY low) AS high,
            ROW_NUMBER() OVER (ORDER BY low) AS nth
          FROM (
            SELECT
              sort_key AS low,
              ROW_NUMBER() OVER (ORDER BY sort_key) AS place
            FROM (
              SELECT sort_key
              FROM (
SELECT
            value,
            sort_key
          FROM (
            SELECT
              d.value,
              CAST(CAST(`d`.`value` AS STRING) AS BINARY) AS sort_key
            FROM `domain zip; --` AS d
          ) AS v              ) AS k
              WHERE sort_key IS NOT NULL
              ORDER BY XXHASH64(sort_key), sort_key
              LIMIT 4096
            ) AS s
          ) AS b
          WHERE PMOD(place, 64) = 0
        ) AS t ON k.sort_key >= t.low AND (k.sort_key < t.high OR t.high IS NULL)
      ) AS f
      GROUP BY in_order
    ) AS c
  ) AS o ON r.in_order = o.in_order
) AS m
CROSS JOIN (
  SELECT
    COUNT(DISTINCT sort_key) AS spots
  FROM (
SELECT
            value,
            sort_key
          FROM (
            SELECT
              d.value,
              CAST(CAST(`d`.`value` AS STRING) AS BINARY) AS sort_key
            FROM `domain zip; --` AS d
          ) AS v
  ) AS k
) AS s
