CREATE TEMP VIEW `plain` AS
SELECT
(CAST(`se"x` AS STRING) COLLATE UTF8_BINARY) AS `se"x`,
`zip; --` AS `zip; --`,
`age
of 👩` AS `age
of 👩`,
`SELECT` AS `SELECT`
FROM `the source; DROP TABLE x` AS o
