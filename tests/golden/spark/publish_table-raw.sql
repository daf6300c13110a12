CREATE TABLE `main`.`re"lease`
USING parquet
AS
SELECT `se"x`, `zip; --`
FROM `staged'` AS t
