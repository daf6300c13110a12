-- paths_complete
CREATE TEMP VIEW `complete se"x` AS
SELECT
  value,
  `level_1`,
  COUNT(*) OVER (PARTITION BY `level_1`) AS `leaves_1`
FROM (
  SELECT
    value,
    `level_1`
  FROM `paths se"x` AS p
  UNION ALL
  SELECT
    NULL, CASE WHEN MIN(`r`.`level_1`) = MAX(`r`.`level_1`) THEN MAX(`r`.`level_1`) END
  FROM `paths se"x` AS r
  HAVING SUM(CASE WHEN r.value IS NULL THEN 1 ELSE 0 END) = 0
    AND (SELECT COUNT(*) FROM `domain se"x` AS d WHERE d.value IS NULL) > 0
) AS u
