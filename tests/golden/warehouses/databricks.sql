CREATE TABLE `out`.`people_k5` AS
WITH `kanon_source` AS (
  SELECT
    `s`.`age` AS `in_0`
  FROM `src`.`people` AS `s`
), `kanon_placed` AS (
  SELECT
    `s`.*,
    CAST(`s`.`in_0` AS BIGINT) AS `place_0`
  FROM `kanon_source` AS `s`
), `kanon_started` AS (
  SELECT
    `s`.*,
    `place_0` - (
      (
        `place_0` - 0
      ) % 10 + 10
    ) % 10 AS `start_0`
  FROM `kanon_placed` AS `s`
), `kanon_recoded` AS (
  SELECT
    CASE
      WHEN `place_0` IS NULL
      THEN NULL
      WHEN `place_0` < 20
      THEN '< 20'
      WHEN `place_0` >= 60
      THEN '>= 60'
      ELSE '[' || CAST(CASE WHEN `start_0` < 20 THEN 20 ELSE `start_0` END AS STRING) || ', ' || CAST(CASE WHEN `start_0` + 10 > 60 THEN 60 ELSE `start_0` + 10 END AS STRING) || ')'
    END AS `out_0`,
    CASE
      WHEN 1 = 0
      THEN 1
      WHEN NOT `s`.`in_0` IS NULL
      AND (
        `place_0` IS NULL
        OR CAST(`place_0` AS STRING) <> CAST(`s`.`in_0` AS STRING)
        OR `place_0` >= 1000000000000000
        OR `place_0` <= -1000000000000000
      )
      THEN 1
      ELSE 0
    END AS `kanon_lost`
  FROM `kanon_started` AS `s`
), `kanon_keyed` AS (
  SELECT
    `r`.*,
    CASE
      WHEN `r`.`out_0` IS NULL
      THEN 'n'
      ELSE 'v' || CAST(`r`.`out_0` AS STRING) || '.'
    END AS `key_0`
  FROM `kanon_recoded` AS `r`
), `kanon_classes` AS (
  SELECT
    `r`.`key_0` AS `key_0`,
    `r`.`out_0` AS `out_0`,
    COUNT(*) AS `class_rows`
  FROM `kanon_keyed` AS `r`
  WHERE
    `r`.`kanon_lost` = 0
  GROUP BY
    `r`.`key_0`,
    `r`.`out_0`
  HAVING
    COUNT(*) >= 5
), `kanon_staged` AS (
  SELECT
    `r`.`out_0` AS `out_0`,
    1 AS `kanon_one`
  FROM `kanon_keyed` AS `r`
  JOIN `kanon_classes` AS `c`
    ON `r`.`key_0` = `c`.`key_0`
    AND (
      `r`.`out_0` = `c`.`out_0` OR (
        `r`.`out_0` IS NULL AND `c`.`out_0` IS NULL
      )
    )
  WHERE
    `r`.`kanon_lost` = 0
), `kanon_recount` AS (
  SELECT
    COALESCE(SUM(`g`.`class_rows`), 0) AS `row_count`,
    COALESCE(SUM(CASE WHEN `kanon_measure_0` >= 5 THEN 0 ELSE 1 END), 0) AS `short_classes`
  FROM (
    SELECT
      COUNT(*) AS `class_rows`,
      COUNT(*) AS `kanon_measure_0`
    FROM `kanon_staged` AS `t`
    GROUP BY
      `t`.`out_0`,
      CAST(`t`.`out_0` AS STRING) || '.'
  ) AS `g`
), `kanon_counts` AS (
  SELECT
    `o`.`row_count` AS `source_rows`,
    `l`.`row_count` AS `recoded_rows`,
    `l`.`lost_rows` AS `lost_rows`,
    `v`.`row_count` AS `staged_rows`,
    `v`.`short_classes` AS `short_classes`
  FROM (
    SELECT
      COUNT(*) AS `row_count`
    FROM `kanon_source` AS `s`
  ) AS `o`
  CROSS JOIN (
    SELECT
      COUNT(*) AS `row_count`,
      COALESCE(SUM(`r`.`kanon_lost`), 0) AS `lost_rows`
    FROM `kanon_recoded` AS `r`
  ) AS `l`
  CROSS JOIN `kanon_recount` AS `v`
), `kanon_verdict` AS (
  SELECT
    CASE
      WHEN `n`.`lost_rows` > 0 OR `n`.`recoded_rows` <> `n`.`source_rows`
      THEN RAISE_ERROR('the source has rows without a place in the hierarchies')
      WHEN CAST(`n`.`source_rows` - `n`.`staged_rows` AS BIGINT) * 8 > CAST(`n`.`source_rows` AS BIGINT) * 1
      THEN RAISE_ERROR('more rows would be suppressed than the policy allows')
      WHEN `n`.`short_classes` > 0 OR `n`.`staged_rows` = 0
      THEN RAISE_ERROR('the staged rows fail their recount')
      ELSE 1
    END AS `kanon_one`
  FROM `kanon_counts` AS `n`
)
SELECT
  `t`.`out_0` AS `age`
FROM `kanon_verdict` AS `v`
LEFT JOIN `kanon_staged` AS `t`
  ON `t`.`kanon_one` = `v`.`kanon_one`
WHERE
  `v`.`kanon_one` = 1
