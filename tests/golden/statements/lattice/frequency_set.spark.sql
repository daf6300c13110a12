-- frequency_set
CREATE TEMP VIEW `frequency "set" 0` AS
SELECT
`q0`.`key_1` + `q1`.`key_1` + `q2`.`key_1` AS `key_1`,
`q2`.`key_2` + `q3`.`key_2` AS `key_2`,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
JOIN `codes se"x` AS `q0` ON `s`.`se"x` IS NOT DISTINCT FROM `q0`.`value`
JOIN `codes zip; --` AS `q1` ON `s`.`zip; --` = `q1`.`value`
JOIN `codes age
of 👩` AS `q2` ON `s`.`age
of 👩` = `q2`.`value`
JOIN `codes SELECT` AS `q3` ON `s`.`SELECT` IS NOT DISTINCT FROM `q3`.`value`
GROUP BY 1, 2
