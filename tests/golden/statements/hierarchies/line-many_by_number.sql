-- duckdb
CREATE TEMP TABLE "many by number" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST(CAST("value" AS VARCHAR) AS DOUBLE) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        CASE WHEN regexp_full_match(CAST("d"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS spot
      FROM "domain zip; --" AS d
    ) AS s
  ) AS r
) AS m

-- postgres
CREATE TEMP TABLE "many by number" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST(CAST("value" AS TEXT) AS DOUBLE PRECISION) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        CASE WHEN CASE WHEN CAST("d"."value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("d"."value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("d"."value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000000000000) END AS spot
      FROM "domain zip; --" AS d
    ) AS s
  ) AS r
) AS m

-- spark
CREATE TEMP VIEW `many by number` AS
SELECT
  value,
  place,
  measure,
  s.most - s.least AS span
FROM (
  SELECT
    r.value,
    r.measure,
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
            CASE WHEN sort_key IS NOT NULL THEN CAST(CAST(`value` AS STRING) AS DOUBLE) END AS measure,
            sort_key
          FROM (
            SELECT
              d.value,
              CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`d`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`d`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS sort_key
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
            CASE WHEN sort_key IS NOT NULL THEN CAST(CAST(`value` AS STRING) AS DOUBLE) END AS measure,
            sort_key
          FROM (
            SELECT
              d.value,
              CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`d`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`d`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS sort_key
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
            CASE WHEN sort_key IS NOT NULL THEN CAST(CAST(`value` AS STRING) AS DOUBLE) END AS measure,
            sort_key
          FROM (
            SELECT
              d.value,
              CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`d`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`d`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS sort_key
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
            CASE WHEN sort_key IS NOT NULL THEN CAST(CAST(`value` AS STRING) AS DOUBLE) END AS measure,
            sort_key
          FROM (
            SELECT
              d.value,
              CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`d`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`d`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS sort_key
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
    MAX(measure) AS most,
    MIN(measure) AS least
  FROM (
SELECT
            value,
            CASE WHEN sort_key IS NOT NULL THEN CAST(CAST(`value` AS STRING) AS DOUBLE) END AS measure,
            sort_key
          FROM (
            SELECT
              d.value,
              CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`d`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`d`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS sort_key
            FROM `domain zip; --` AS d
          ) AS v
  ) AS k
) AS s
