-- duckdb
CREATE TEMP TABLE "released of many" AS
SELECT
  d.value,
  p."level_1" AS "label_1",
  CAST(DENSE_RANK() OVER (ORDER BY p."value") AS INTEGER) AS "code_0",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_1") AS INTEGER) AS "code_1"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "released of many" AS
SELECT
  d.value,
  p."level_1" AS "label_1",
  CAST(DENSE_RANK() OVER (ORDER BY p."value") AS INTEGER) AS "code_0",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_1") AS INTEGER) AS "code_1"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `released of many` AS
SELECT
  d.value,
  p.`level_1` AS `label_1`,
  `n1`.`code` AS `code_0`,
  `n2`.`code` AS `code_1`
FROM `domain zip; --` AS d
JOIN `complete zip; --` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
JOIN (
  SELECT
    r.label,
    CAST(r.nth + o.before AS INTEGER) AS code
  FROM (
    SELECT
      label,
      in_order,
      ROW_NUMBER() OVER (PARTITION BY in_order ORDER BY sort_key NULLS FIRST) AS nth
    FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
SELECT DISTINCT
            `p`.`value` AS label,
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
SELECT DISTINCT
            `p`.`value` AS label,
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
    ) AS f
  ) AS r
  JOIN (
SELECT
    in_order,
    SUM(numbered) OVER (ORDER BY in_order ROWS UNBOUNDED PRECEDING) - numbered AS before
  FROM (
    SELECT
      in_order,
      COUNT(*) AS numbered
    FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
SELECT DISTINCT
            `p`.`value` AS label,
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
SELECT DISTINCT
            `p`.`value` AS label,
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
    ) AS f
    GROUP BY in_order
  ) AS c
  ) AS o ON r.in_order = o.in_order
) AS `n1` ON `p`.`value` IS NOT DISTINCT FROM `n1`.`label`
JOIN (
  SELECT
    r.label,
    CAST(r.nth + o.before AS INTEGER) AS code
  FROM (
    SELECT
      label,
      in_order,
      ROW_NUMBER() OVER (PARTITION BY in_order ORDER BY sort_key NULLS FIRST) AS nth
    FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
SELECT DISTINCT
            `p`.`level_1` AS label,
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
            `p`.`level_1` AS label,
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
    ) AS f
  ) AS r
  JOIN (
SELECT
    in_order,
    SUM(numbered) OVER (ORDER BY in_order ROWS UNBOUNDED PRECEDING) - numbered AS before
  FROM (
    SELECT
      in_order,
      COUNT(*) AS numbered
    FROM (
SELECT /*+ BROADCAST(t) */
          k.*,
          COALESCE(t.nth, 0) AS in_order
        FROM (
SELECT DISTINCT
            `p`.`level_1` AS label,
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
            `p`.`level_1` AS label,
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
    ) AS f
    GROUP BY in_order
  ) AS c
  ) AS o ON r.in_order = o.in_order
) AS `n2` ON `p`.`level_1` IS NOT DISTINCT FROM `n2`.`label`
