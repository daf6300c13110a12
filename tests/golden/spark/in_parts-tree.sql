CREATE TEMP VIEW `in pa'rts 1` AS
SELECT
  CAST(c.part AS BIGINT) AS region,
  `a`.`path` AS place_0,
  d.row_count
FROM `ran'ked` AS a
JOIN `domain zip; --` AS d ON `a`.`value` IS NOT DISTINCT FROM `d`.`value`
JOIN `two cu'ts` AS c ON c.quasi = 1 AND a.place BETWEEN c.low AND c.high
