-- duckdb
CREATE TEMP TABLE "li'ne" AS
SELECT
  w.region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  "w"."spread_0",
  "w"."spread_1",
  "w"."entity",
  w.row_count,
  w.leaf_rows,
  w.first_row,
  CAST(SUM(w.row_count) OVER (
    PARTITION BY w.region
    ORDER BY "key_0", "key_1", COALESCE("w"."spread_0", 0), COALESCE("w"."spread_1", 0), encode(CAST("w"."entity" AS VARCHAR))
    ROWS UNBOUNDED PRECEDING
  ) AS BIGINT) AS up_to
FROM (
SELECT
  w.*,
("w"."digit_0" * "w"."radix_1" + "w"."digit_1") AS "key_0",
"w"."digit_2" AS "key_1"
FROM (
  SELECT
    w.*,
    CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END AS "digit_2",
    ("odd_1" * "radix_2" + CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END) & 1 AS "odd_2"
  FROM (
  SELECT
    w.*,
    CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END AS "digit_1",
    ("odd_0" * "radix_1" + CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END) & 1 AS "odd_1"
  FROM (
  SELECT
    w.*,
CASE axis_0 WHEN 0 THEN "rank_0" WHEN 1 THEN "rank_1" WHEN 2 THEN "rank_2" END AS "digit_0",
CASE axis_0 WHEN 0 THEN "rank_0" WHEN 1 THEN "rank_1" WHEN 2 THEN "rank_2" END & 1 AS "odd_0"
  FROM (
  SELECT
    w.*,
CASE "axis_1" WHEN 0 THEN "rank_0" WHEN 1 THEN "rank_1" WHEN 2 THEN "rank_2" END AS "own_1",
CASE "axis_2" WHEN 0 THEN "rank_0" WHEN 1 THEN "rank_1" WHEN 2 THEN "rank_2" END AS "own_2"
  FROM (
    SELECT
      w.*,
      o.leaf_rows,
      o.first_row,
      o."axis_0",
      o."radix_0",
      CAST(BIT_COUNT("v"."bits_0" & ((CAST(1 AS BIGINT) << CAST("w"."place_0" + 1 AS INTEGER)) - 1)) AS BIGINT) AS "rank_0",
      o."axis_1",
      o."radix_1",
      CAST(BIT_COUNT("v"."bits_0" & ((CAST(1 AS BIGINT) << CAST("w"."place_1" + 10 AS INTEGER)) - 512)) AS BIGINT) AS "rank_1",
      o."axis_2",
      o."radix_2",
      "r2"."local_rank" AS "rank_2"
    FROM "wor'king" AS w
    JOIN "ord'ers" AS o ON o.region = w.region
    JOIN (
      SELECT
        region,
        BIT_OR(CASE WHEN axis = 0 AND place BETWEEN -1 AND 7 THEN (CAST(1 AS BIGINT) << CAST("k"."place" + 1 AS INTEGER)) WHEN axis = 1 AND place BETWEEN -1 AND 1 THEN (CAST(1 AS BIGINT) << CAST("k"."place" + 10 AS INTEGER)) ELSE CAST(0 AS BIGINT) END) AS "bits_0"
      FROM "ra'nks" AS k
      GROUP BY region
    ) AS v ON v.region = w.region
    LEFT JOIN "ra'nks" AS "r2" ON "r2".region = w.region AND "r2".axis = 2 AND "r2".place = w."place_2"
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w

-- postgres
CREATE TEMP TABLE "li'ne" AS
SELECT
  w.region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  "w"."spread_0",
  "w"."spread_1",
  "w"."entity",
  w.row_count,
  w.leaf_rows,
  w.first_row,
  CAST(SUM(w.row_count) OVER (
    PARTITION BY w.region
    ORDER BY "key_0", "key_1", COALESCE("w"."spread_0", 0), COALESCE("w"."spread_1", 0), (CAST("w"."entity" AS TEXT) COLLATE "C")
    ROWS UNBOUNDED PRECEDING
  ) AS BIGINT) AS up_to
FROM (
SELECT
  w.*,
("w"."digit_0" * "w"."radix_1" + "w"."digit_1") AS "key_0",
"w"."digit_2" AS "key_1"
FROM (
  SELECT
    w.*,
    CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END AS "digit_2",
    ("odd_1" * "radix_2" + CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END) & 1 AS "odd_2"
  FROM (
  SELECT
    w.*,
    CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END AS "digit_1",
    ("odd_0" * "radix_1" + CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END) & 1 AS "odd_1"
  FROM (
  SELECT
    w.*,
CASE axis_0 WHEN 0 THEN "rank_0" WHEN 1 THEN "rank_1" WHEN 2 THEN "rank_2" END AS "digit_0",
CASE axis_0 WHEN 0 THEN "rank_0" WHEN 1 THEN "rank_1" WHEN 2 THEN "rank_2" END & 1 AS "odd_0"
  FROM (
  SELECT
    w.*,
CASE "axis_1" WHEN 0 THEN "rank_0" WHEN 1 THEN "rank_1" WHEN 2 THEN "rank_2" END AS "own_1",
CASE "axis_2" WHEN 0 THEN "rank_0" WHEN 1 THEN "rank_1" WHEN 2 THEN "rank_2" END AS "own_2"
  FROM (
    SELECT
      w.*,
      o.leaf_rows,
      o.first_row,
      o."axis_0",
      o."radix_0",
      CAST(BIT_COUNT(CAST("v"."bits_0" & ((CAST(1 AS BIGINT) << CAST("w"."place_0" + 1 AS INTEGER)) - 1) AS BIT(64))) AS BIGINT) AS "rank_0",
      o."axis_1",
      o."radix_1",
      CAST(BIT_COUNT(CAST("v"."bits_0" & ((CAST(1 AS BIGINT) << CAST("w"."place_1" + 10 AS INTEGER)) - 512) AS BIT(64))) AS BIGINT) AS "rank_1",
      o."axis_2",
      o."radix_2",
      "r2"."local_rank" AS "rank_2"
    FROM "wor'king" AS w
    JOIN "ord'ers" AS o ON o.region = w.region
    JOIN (
      SELECT
        region,
        BIT_OR(CASE WHEN axis = 0 AND place BETWEEN -1 AND 7 THEN (CAST(1 AS BIGINT) << CAST("k"."place" + 1 AS INTEGER)) WHEN axis = 1 AND place BETWEEN -1 AND 1 THEN (CAST(1 AS BIGINT) << CAST("k"."place" + 10 AS INTEGER)) ELSE CAST(0 AS BIGINT) END) AS "bits_0"
      FROM "ra'nks" AS k
      GROUP BY region
    ) AS v ON v.region = w.region
    LEFT JOIN "ra'nks" AS "r2" ON "r2".region = w.region AND "r2".axis = 2 AND "r2".place = w."place_2"
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w

-- spark
CREATE TEMP VIEW `li'ne` AS
SELECT
  w.region,
  `w`.`place_0`,
  `w`.`place_1`,
  `w`.`place_2`,
  `w`.`spread_0`,
  `w`.`spread_1`,
  `w`.`entity`,
  w.row_count,
  w.leaf_rows,
  w.first_row,
  CAST(SUM(w.row_count) OVER (
    PARTITION BY w.region
    ORDER BY `key_0`, `key_1`, COALESCE(`w`.`spread_0`, 0), COALESCE(`w`.`spread_1`, 0), CAST(CAST(`w`.`entity` AS STRING) AS BINARY)
    ROWS UNBOUNDED PRECEDING
  ) AS BIGINT) AS up_to
FROM (
SELECT
  w.*,
(`w`.`digit_0` * `w`.`radix_1` + `w`.`digit_1`) AS `key_0`,
`w`.`digit_2` AS `key_1`
FROM (
  SELECT
    w.*,
    CASE WHEN `odd_1` = 0 THEN `own_2` ELSE `radix_2` - 1 - `own_2` END AS `digit_2`,
    (`odd_1` * `radix_2` + CASE WHEN `odd_1` = 0 THEN `own_2` ELSE `radix_2` - 1 - `own_2` END) & 1 AS `odd_2`
  FROM (
  SELECT
    w.*,
    CASE WHEN `odd_0` = 0 THEN `own_1` ELSE `radix_1` - 1 - `own_1` END AS `digit_1`,
    (`odd_0` * `radix_1` + CASE WHEN `odd_0` = 0 THEN `own_1` ELSE `radix_1` - 1 - `own_1` END) & 1 AS `odd_1`
  FROM (
  SELECT
    w.*,
CASE axis_0 WHEN 0 THEN `rank_0` WHEN 1 THEN `rank_1` WHEN 2 THEN `rank_2` END AS `digit_0`,
CASE axis_0 WHEN 0 THEN `rank_0` WHEN 1 THEN `rank_1` WHEN 2 THEN `rank_2` END & 1 AS `odd_0`
  FROM (
  SELECT
    w.*,
CASE `axis_1` WHEN 0 THEN `rank_0` WHEN 1 THEN `rank_1` WHEN 2 THEN `rank_2` END AS `own_1`,
CASE `axis_2` WHEN 0 THEN `rank_0` WHEN 1 THEN `rank_1` WHEN 2 THEN `rank_2` END AS `own_2`
  FROM (
    SELECT
      w.*,
      o.leaf_rows,
      o.first_row,
      o.`axis_0`,
      o.`radix_0`,
      CAST(BIT_COUNT(`v`.`bits_0` & (SHIFTLEFT(CAST(1 AS BIGINT), CAST(`w`.`place_0` + 1 AS INT)) - 1)) AS BIGINT) AS `rank_0`,
      o.`axis_1`,
      o.`radix_1`,
      CAST(BIT_COUNT(`v`.`bits_0` & (SHIFTLEFT(CAST(1 AS BIGINT), CAST(`w`.`place_1` + 10 AS INT)) - 512)) AS BIGINT) AS `rank_1`,
      o.`axis_2`,
      o.`radix_2`,
      `r2`.`local_rank` AS `rank_2`
    FROM `wor'king` AS w
    JOIN `ord'ers` AS o ON o.region = w.region
    JOIN (
      SELECT
        region,
        BIT_OR(CASE WHEN axis = 0 AND place BETWEEN -1 AND 7 THEN SHIFTLEFT(CAST(1 AS BIGINT), CAST(`k`.`place` + 1 AS INT)) WHEN axis = 1 AND place BETWEEN -1 AND 1 THEN SHIFTLEFT(CAST(1 AS BIGINT), CAST(`k`.`place` + 10 AS INT)) ELSE CAST(0 AS BIGINT) END) AS `bits_0`
      FROM `ra'nks` AS k
      GROUP BY region
    ) AS v ON v.region = w.region
    LEFT JOIN `ra'nks` AS `r2` ON `r2`.region = w.region AND `r2`.axis = 2 AND `r2`.place = w.`place_2`
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w
