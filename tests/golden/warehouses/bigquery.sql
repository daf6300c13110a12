CREATE TABLE `out`.`people_k5` AS
WITH `kanon_map_0` AS (
  SELECT
    CAST('it\'s' AS STRING) AS `value`,
    CAST('per\\son' AS STRING) AS `label`
  UNION ALL
  SELECT
    'm',
    CAST(NULL AS STRING)
), `kanon_map_1` AS (
  SELECT
    `value`,
    `level_1` AS `label`
  FROM `own`.`jobs` AS `h`
  WHERE
    NOT `value` IS NULL
), `kanon_source` AS (
  SELECT
    `s`.`se"x \`]; --` AS `in_0`,
    `s`.`job` AS `in_1`,
    `s`.`age` AS `in_2`,
    `s`.`born` AS `in_3`,
    `s`.`ward` AS `in_4`,
    `s`.`name` AS `in_5`,
    `s`.`disease` AS `in_6`,
    `s`.`zip` AS `in_7`,
    `s`.`who` AS `kanon_entity`,
    `s`.`disease` AS `kanon_spread_1`
  FROM `src`.`people` AS `s`
  WHERE
    (
      `ward` <> 4 OR `ward` IS NULL
    )
), `kanon_placed` AS (
  SELECT
    `s`.*,
    CAST(`s`.`in_2` AS INT64) AS `place_2`,
    CAST(EXTRACT(YEAR FROM CAST(`s`.`in_3` AS DATE)) AS INT64) AS `year_3`,
    CAST(EXTRACT(MONTH FROM CAST(`s`.`in_3` AS DATE)) AS INT64) AS `month_3`,
    CAST(EXTRACT(DAY FROM CAST(`s`.`in_3` AS DATE)) AS INT64) AS `day_3`
  FROM `kanon_source` AS `s`
), `kanon_started` AS (
  SELECT
    `s`.*,
    `place_2` - MOD(MOD(`place_2` - 0, 10) + 10, 10) AS `start_2`
  FROM `kanon_placed` AS `s`
), `kanon_recoded` AS (
  SELECT
    CASE WHEN `s`.`in_0` IS NULL THEN '*' ELSE `q0`.`label` END AS `out_0`,
    CASE
      WHEN `s`.`in_1` IS NULL
      THEN (
        SELECT
          MAX(`n`.`level_1`)
        FROM `own`.`jobs` AS `n`
        WHERE
          `n`.`value` IS NULL
      )
      ELSE `q1`.`label`
    END AS `out_1`,
    CASE
      WHEN `place_2` IS NULL
      THEN NULL
      WHEN `place_2` < 20
      THEN '< 20'
      WHEN `place_2` >= 60
      THEN '>= 60'
      ELSE '[' || CAST(CASE WHEN `start_2` < 20 THEN 20 ELSE `start_2` END AS STRING) || ', ' || CAST(CASE WHEN `start_2` + 10 > 60 THEN 60 ELSE `start_2` + 10 END AS STRING) || ')'
    END AS `out_2`,
    CASE
      WHEN `year_3` IS NULL
      THEN NULL
      ELSE SUBSTRING(CAST(10000 + `year_3` AS STRING), 2, 4) || '-' || SUBSTRING(CAST(100 + `month_3` AS STRING), 2, 2)
    END AS `out_3`,
    CAST('*' AS STRING) AS `out_4`,
    CASE WHEN 1 = 0 THEN `s`.`in_5` END AS `out_5`,
    `s`.`in_6` AS `out_6`,
    CASE
      WHEN `s`.`in_7` IS NULL
      THEN NULL
      ELSE SUBSTRING(CAST(`s`.`in_7` AS STRING), 1, 3) || '**'
    END AS `out_7`,
    `s`.`kanon_entity` AS `kanon_entity`,
    `s`.`kanon_spread_1` AS `kanon_spread_1`,
    CASE
      WHEN 1 = 0
      THEN 1
      WHEN NOT `s`.`in_0` IS NULL AND `q0`.`value` IS NULL
      THEN 1
      WHEN NOT `s`.`in_1` IS NULL AND `q1`.`value` IS NULL
      THEN 1
      WHEN NOT `s`.`in_2` IS NULL
      AND (
        `place_2` IS NULL
        OR CAST(`place_2` AS STRING) <> CAST(`s`.`in_2` AS STRING)
        OR `place_2` >= 1000000000000000
        OR `place_2` <= -1000000000000000
      )
      THEN 1
      WHEN NOT `s`.`in_3` IS NULL
      AND (
        `year_3` IS NULL
        OR `year_3` < 0
        OR `year_3` > 9999
        OR SUBSTRING(CAST(`s`.`in_3` AS STRING), 1, 10) <> SUBSTRING(CAST(10000 + `year_3` AS STRING), 2, 4) || '-' || SUBSTRING(CAST(100 + `month_3` AS STRING), 2, 2) || '-' || SUBSTRING(CAST(100 + `day_3` AS STRING), 2, 2)
      )
      THEN 1
      WHEN LENGTH(CAST(`s`.`in_7` AS STRING) || '.') - 1 > 5
      THEN 1
      ELSE 0
    END AS `kanon_lost`
  FROM `kanon_started` AS `s`
  LEFT JOIN `kanon_map_0` AS `q0`
    ON `q0`.`value` || '.' = CAST(`s`.`in_0` AS STRING) || '.'
  LEFT JOIN `kanon_map_1` AS `q1`
    ON `q1`.`value` || '.' = CAST(`s`.`in_1` AS STRING) || '.'
), `kanon_keyed` AS (
  SELECT
    `r`.*,
    CASE
      WHEN `r`.`out_0` IS NULL
      THEN 'n'
      ELSE 'v' || CAST(`r`.`out_0` AS STRING) || '.'
    END AS `key_0`,
    CASE
      WHEN `r`.`out_1` IS NULL
      THEN 'n'
      ELSE 'v' || CAST(`r`.`out_1` AS STRING) || '.'
    END AS `key_1`,
    CASE
      WHEN `r`.`out_2` IS NULL
      THEN 'n'
      ELSE 'v' || CAST(`r`.`out_2` AS STRING) || '.'
    END AS `key_2`,
    CASE
      WHEN `r`.`out_3` IS NULL
      THEN 'n'
      ELSE 'v' || CAST(`r`.`out_3` AS STRING) || '.'
    END AS `key_3`,
    CASE
      WHEN `r`.`out_4` IS NULL
      THEN 'n'
      ELSE 'v' || CAST(`r`.`out_4` AS STRING) || '.'
    END AS `key_4`,
    CASE
      WHEN `r`.`out_7` IS NULL
      THEN 'n'
      ELSE 'v' || CAST(`r`.`out_7` AS STRING) || '.'
    END AS `key_7`
  FROM `kanon_recoded` AS `r`
), `kanon_classes` AS (
  SELECT
    `r`.`key_0` AS `key_0`,
    `r`.`out_0` AS `out_0`,
    `r`.`key_1` AS `key_1`,
    `r`.`out_1` AS `out_1`,
    `r`.`key_2` AS `key_2`,
    `r`.`out_2` AS `out_2`,
    `r`.`key_3` AS `key_3`,
    `r`.`out_3` AS `out_3`,
    `r`.`key_4` AS `key_4`,
    `r`.`out_4` AS `out_4`,
    `r`.`key_7` AS `key_7`,
    `r`.`out_7` AS `out_7`,
    COUNT(*) AS `class_rows`
  FROM `kanon_keyed` AS `r`
  WHERE
    `r`.`kanon_lost` = 0
  GROUP BY
    `r`.`key_0`,
    `r`.`out_0`,
    `r`.`key_1`,
    `r`.`out_1`,
    `r`.`key_2`,
    `r`.`out_2`,
    `r`.`key_3`,
    `r`.`out_3`,
    `r`.`key_4`,
    `r`.`out_4`,
    `r`.`key_7`,
    `r`.`out_7`
  HAVING
    COUNT(DISTINCT `r`.`kanon_entity`) >= 5
    AND COUNT(DISTINCT `r`.`kanon_spread_1`) >= 2
), `kanon_staged` AS (
  SELECT
    `r`.`out_0` AS `out_0`,
    `r`.`out_1` AS `out_1`,
    `r`.`out_2` AS `out_2`,
    `r`.`out_3` AS `out_3`,
    `r`.`out_4` AS `out_4`,
    `r`.`out_5` AS `out_5`,
    `r`.`out_6` AS `out_6`,
    `r`.`out_7` AS `out_7`,
    `r`.`kanon_entity` AS `kanon_entity`,
    `r`.`kanon_spread_1` AS `kanon_spread_1`,
    1 AS `kanon_one`
  FROM `kanon_keyed` AS `r`
  JOIN `kanon_classes` AS `c`
    ON `r`.`key_0` = `c`.`key_0`
    AND (
      `r`.`out_0` = `c`.`out_0` OR (
        `r`.`out_0` IS NULL AND `c`.`out_0` IS NULL
      )
    )
    AND `r`.`key_1` = `c`.`key_1`
    AND (
      `r`.`out_1` = `c`.`out_1` OR (
        `r`.`out_1` IS NULL AND `c`.`out_1` IS NULL
      )
    )
    AND `r`.`key_2` = `c`.`key_2`
    AND (
      `r`.`out_2` = `c`.`out_2` OR (
        `r`.`out_2` IS NULL AND `c`.`out_2` IS NULL
      )
    )
    AND `r`.`key_3` = `c`.`key_3`
    AND (
      `r`.`out_3` = `c`.`out_3` OR (
        `r`.`out_3` IS NULL AND `c`.`out_3` IS NULL
      )
    )
    AND `r`.`key_4` = `c`.`key_4`
    AND (
      `r`.`out_4` = `c`.`out_4` OR (
        `r`.`out_4` IS NULL AND `c`.`out_4` IS NULL
      )
    )
    AND `r`.`key_7` = `c`.`key_7`
    AND (
      `r`.`out_7` = `c`.`out_7` OR (
        `r`.`out_7` IS NULL AND `c`.`out_7` IS NULL
      )
    )
  WHERE
    `r`.`kanon_lost` = 0
), `kanon_recount` AS (
  SELECT
    COALESCE(SUM(`g`.`class_rows`), 0) AS `row_count`,
    COALESCE(
      SUM(CASE WHEN `kanon_measure_0` >= 5 AND `kanon_measure_1` >= 2 THEN 0 ELSE 1 END),
      0
    ) AS `short_classes`
  FROM (
    SELECT
      COUNT(*) AS `class_rows`,
      COUNT(DISTINCT `t`.`kanon_entity`) AS `kanon_measure_0`,
      COUNT(DISTINCT `t`.`kanon_spread_1`) AS `kanon_measure_1`
    FROM `kanon_staged` AS `t`
    GROUP BY
      `t`.`out_0`,
      CAST(`t`.`out_0` AS STRING) || '.',
      `t`.`out_1`,
      CAST(`t`.`out_1` AS STRING) || '.',
      `t`.`out_2`,
      CAST(`t`.`out_2` AS STRING) || '.',
      `t`.`out_3`,
      CAST(`t`.`out_3` AS STRING) || '.',
      `t`.`out_4`,
      CAST(`t`.`out_4` AS STRING) || '.',
      `t`.`out_7`,
      CAST(`t`.`out_7` AS STRING) || '.'
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
    CAST(CASE
      WHEN `n`.`lost_rows` > 0 OR `n`.`recoded_rows` <> `n`.`source_rows`
      THEN 'the source has rows without a place in the hierarchies; rows: ' || CAST(`n`.`lost_rows` AS STRING)
      WHEN CAST(`n`.`source_rows` - `n`.`staged_rows` AS INT64) * 8 > CAST(`n`.`source_rows` AS INT64) * 1
      THEN 'more rows would be suppressed than the policy allows; rows: ' || CAST(`n`.`source_rows` - `n`.`staged_rows` AS STRING)
      WHEN `n`.`short_classes` > 0 OR `n`.`staged_rows` = 0
      THEN 'the staged rows fail their recount; classes: ' || CAST(`n`.`short_classes` AS STRING)
      ELSE '1'
    END AS INT64) AS `kanon_one`
  FROM `kanon_counts` AS `n`
)
SELECT
  `t`.`out_0` AS `se"x \`]; --`,
  `t`.`out_1` AS `job`,
  `t`.`out_2` AS `age`,
  `t`.`out_3` AS `born`,
  `t`.`out_4` AS `ward`,
  `t`.`out_5` AS `name`,
  `t`.`out_6` AS `disease`,
  `t`.`out_7` AS `zip`
FROM `kanon_verdict` AS `v`
LEFT JOIN `kanon_staged` AS `t`
  ON `t`.`kanon_one` = `v`.`kanon_one`
WHERE
  `v`.`kanon_one` = 1
