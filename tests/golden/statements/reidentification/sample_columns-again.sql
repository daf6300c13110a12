-- duckdb, postgres
CREATE TEMP TABLE "smaller sample" AS
SELECT
"s"."se""x" AS "se""x",
"s"."zip; --" AS "zip; --"
FROM "sample of columns" AS s
WHERE RANDOM() < 0.500000000

-- spark
CREATE TEMP VIEW `smaller sample` AS
SELECT
`s`.`se"x` AS `se"x`,
`s`.`zip; --` AS `zip; --`
FROM `sample of columns` AS s
WHERE RANDOM() < 0.500000000
