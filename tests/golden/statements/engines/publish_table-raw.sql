-- duckdb, postgres
CREATE TABLE "main"."re""lease" AS
SELECT "se""x", "zip; --"
FROM "staged'" AS t

-- spark
CREATE TABLE `main`.`re"lease`
USING parquet
AS
SELECT `se"x`, `zip; --`
FROM `staged'` AS t
