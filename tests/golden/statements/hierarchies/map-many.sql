-- duckdb
CREATE TEMP TABLE "map of many" AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY "level_1" ORDER BY d.value NULLS LAST) - 1 AS "ordinal_0",
  "level_1",
  "leaves_1",
  DENSE_RANK() OVER (PARTITION BY "level_2" ORDER BY "level_1" NULLS LAST) - 1 AS "ordinal_1",
  "level_2",
  "leaves_2"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "map of many" AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY "level_1" ORDER BY d.value NULLS LAST) - 1 AS "ordinal_0",
  "level_1",
  "leaves_1",
  DENSE_RANK() OVER (PARTITION BY "level_2" ORDER BY "level_1" NULLS LAST) - 1 AS "ordinal_1",
  "level_2",
  "leaves_2"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `map of many` AS
SELECT
  d.value,
  d.row_count,
  `s0`.`ordinal_0`,
  `p`.`level_1`,
  `p`.`leaves_1`,
  `s1`.`ordinal_1`,
  `p`.`level_2`,
  `p`.`leaves_2`
FROM `domain zip; --` AS d
JOIN `complete zip; --` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
JOIN (
  SELECT
    r.`value`,
    CAST(r.nth + COALESCE(o.before, 0) AS INTEGER) AS `ordinal_0`
  FROM (
    SELECT
      b.*,
      DENSE_RANK() OVER (PARTITION BY `b`.`level_1`, b.bucket ORDER BY `b`.`value` NULLS LAST) - 1 AS nth
    FROM (
SELECT
        f.*,
        CASE WHEN `f`.`leaves_1` <= 65536 THEN 0 WHEN f.sort_key IS NULL THEN 66 ELSE 1 + f.in_order END AS bucket
      FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
        SELECT
          `p`.`value`,
          `p`.`level_1`,
          `p`.`leaves_1`,
          `p`.`value` AS sort_key
        FROM `complete zip; --` AS p
        ) AS k
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
          `p`.`value`,
          `p`.`level_1`,
          `p`.`leaves_1`,
          `p`.`value` AS sort_key
        FROM `complete zip; --` AS p
              ) AS k
              WHERE sort_key IS NOT NULL
              ORDER BY XXHASH64(sort_key), sort_key
              LIMIT 4096
            ) AS s
          ) AS b
          WHERE PMOD(place, 64) = 0
        ) AS t ON k.sort_key >= t.low AND (k.sort_key < t.high OR t.high IS NULL)
      ) AS f    ) AS b
  ) AS r
  LEFT JOIN (
    SELECT
      `level_1`,
      bucket,
      SUM(numbered) OVER (PARTITION BY `level_1` ORDER BY bucket ROWS UNBOUNDED PRECEDING) - numbered AS before
    FROM (
      SELECT
        `level_1`,
        bucket,
        COUNT(*) AS numbered
      FROM (
SELECT
        f.*,
        CASE WHEN `f`.`leaves_1` <= 65536 THEN 0 WHEN f.sort_key IS NULL THEN 66 ELSE 1 + f.in_order END AS bucket
      FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
        SELECT
          `p`.`value`,
          `p`.`level_1`,
          `p`.`leaves_1`,
          `p`.`value` AS sort_key
        FROM `complete zip; --` AS p
        ) AS k
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
          `p`.`value`,
          `p`.`level_1`,
          `p`.`leaves_1`,
          `p`.`value` AS sort_key
        FROM `complete zip; --` AS p
              ) AS k
              WHERE sort_key IS NOT NULL
              ORDER BY XXHASH64(sort_key), sort_key
              LIMIT 4096
            ) AS s
          ) AS b
          WHERE PMOD(place, 64) = 0
        ) AS t ON k.sort_key >= t.low AND (k.sort_key < t.high OR t.high IS NULL)
      ) AS f      ) AS b
      WHERE bucket > 0
      GROUP BY `level_1`, bucket
    ) AS c
  ) AS o ON r.bucket = o.bucket AND `r`.`level_1` IS NOT DISTINCT FROM `o`.`level_1`
) AS `s0` ON `p`.`value` IS NOT DISTINCT FROM `s0`.`value`
JOIN (
  SELECT
    r.`level_1`,
    r.`level_2`,
    CAST(r.nth + COALESCE(o.before, 0) AS INTEGER) AS `ordinal_1`
  FROM (
    SELECT
      b.*,
      DENSE_RANK() OVER (PARTITION BY `b`.`level_2`, b.bucket ORDER BY `b`.`level_1` NULLS LAST) - 1 AS nth
    FROM (
SELECT
        f.*,
        CASE WHEN `f`.`leaves_2` <= 65536 THEN 0 WHEN f.sort_key IS NULL THEN 66 ELSE 1 + f.in_order END AS bucket
      FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
        SELECT DISTINCT
          `p`.`level_1`,
          `p`.`level_2`,
          `p`.`leaves_2`,
          `p`.`level_1` AS sort_key
        FROM `complete zip; --` AS p
        ) AS k
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
        SELECT DISTINCT
          `p`.`level_1`,
          `p`.`level_2`,
          `p`.`leaves_2`,
          `p`.`level_1` AS sort_key
        FROM `complete zip; --` AS p
              ) AS k
              WHERE sort_key IS NOT NULL
              ORDER BY XXHASH64(sort_key), sort_key
              LIMIT 4096
            ) AS s
          ) AS b
          WHERE PMOD(place, 64) = 0
        ) AS t ON k.sort_key >= t.low AND (k.sort_key < t.high OR t.high IS NULL)
      ) AS f    ) AS b
  ) AS r
  LEFT JOIN (
    SELECT
      `level_2`,
      bucket,
      SUM(numbered) OVER (PARTITION BY `level_2` ORDER BY bucket ROWS UNBOUNDED PRECEDING) - numbered AS before
    FROM (
      SELECT
        `level_2`,
        bucket,
        COUNT(*) AS numbered
      FROM (
SELECT
        f.*,
        CASE WHEN `f`.`leaves_2` <= 65536 THEN 0 WHEN f.sort_key IS NULL THEN 66 ELSE 1 + f.in_order END AS bucket
      FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
        SELECT DISTINCT
          `p`.`level_1`,
          `p`.`level_2`,
          `p`.`leaves_2`,
          `p`.`level_1` AS sort_key
        FROM `complete zip; --` AS p
        ) AS k
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
        SELECT DISTINCT
          `p`.`level_1`,
          `p`.`level_2`,
          `p`.`leaves_2`,
          `p`.`level_1` AS sort_key
        FROM `complete zip; --` AS p
              ) AS k
              WHERE sort_key IS NOT NULL
              ORDER BY XXHASH64(sort_key), sort_key
              LIMIT 4096
            ) AS s
          ) AS b
          WHERE PMOD(place, 64) = 0
        ) AS t ON k.sort_key >= t.low AND (k.sort_key < t.high OR t.high IS NULL)
      ) AS f      ) AS b
      WHERE bucket > 0
      GROUP BY `level_2`, bucket
    ) AS c
  ) AS o ON r.bucket = o.bucket AND `r`.`level_2` IS NOT DISTINCT FROM `o`.`level_2`
) AS `s1` ON `p`.`level_1` IS NOT DISTINCT FROM `s1`.`level_1`
