-- duckdb
CREATE TEMP VIEW "plain" AS
SELECT
decode(encode(CAST("se""x" AS VARCHAR))) AS "se""x",
"zip; --" AS "zip; --",
"age
of 👩" AS "age
of 👩",
"SELECT" AS "SELECT"
FROM "the source; DROP TABLE x" AS o

-- postgres
CREATE TEMP VIEW "plain" AS
SELECT
(CAST("se""x" AS TEXT) COLLATE "default") AS "se""x",
"zip; --" AS "zip; --",
"age
of 👩" AS "age
of 👩",
"SELECT" AS "SELECT"
FROM "the source; DROP TABLE x" AS o

-- spark
CREATE TEMP VIEW `plain` AS
SELECT
(CAST(`se"x` AS STRING) COLLATE UTF8_BINARY) AS `se"x`,
`zip; --` AS `zip; --`,
`age
of 👩` AS `age
of 👩`,
`SELECT` AS `SELECT`
FROM `the source; DROP TABLE x` AS o
