-- all_domains
CREATE TEMP VIEW `all domain's` AS
SELECT
  '0' AS quasi,
  CAST(`s`.`se"x` AS STRING) AS entry,
  `s`.`se"x` AS `value_0`,
  NULL AS `value_1`,
  NULL AS `value_2`,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
GROUP BY `s`.`se"x`
UNION ALL
SELECT
  '2' AS quasi,
  CAST(`s`.`age
of 👩` AS STRING) AS entry,
  NULL AS `value_0`,
  `s`.`age
of 👩` AS `value_1`,
  NULL AS `value_2`,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
GROUP BY `s`.`age
of 👩`
UNION ALL
SELECT
  '11' AS quasi,
  CAST(`s`.`SELECT` AS STRING) AS entry,
  NULL AS `value_0`,
  NULL AS `value_1`,
  `s`.`SELECT` AS `value_2`,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
GROUP BY `s`.`SELECT`
