-- duckdb
CREATE TEMP VIEW "pa'rt" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
WHERE CAST("s"."se""x" AS VARCHAR) = 'it''s' AND CAST("s"."zip; --" AS VARCHAR) = '; --'

-- postgres
CREATE TEMP VIEW "pa'rt" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
WHERE CAST("s"."se""x" AS TEXT) = 'it''s' AND CAST("s"."zip; --" AS TEXT) = '; --'

-- spark
CREATE TEMP VIEW `pa'rt` AS
SELECT *
FROM `the source; DROP TABLE x` AS s
WHERE CAST(`s`.`se"x` AS STRING) = 'it\'s' AND CAST(`s`.`zip; --` AS STRING) = '; --'
