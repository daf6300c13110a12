-- duckdb, postgres
DROP TABLE IF EXISTS "main"."re""lease"

-- spark
DROP TABLE IF EXISTS `main`.`re"lease`
