-- undo_escapes
CREATE TEMP VIEW `the source; DROP TABLE x` AS
SELECT
`o`.`se"x` AS `se"x`,
DECODE(ENCODE(`o`.`ward 🏥`, 'ISO-8859-1'), 'UTF-8') AS `ward 🏥`
FROM `li'ke` AS o
