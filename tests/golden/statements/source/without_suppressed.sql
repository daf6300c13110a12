-- duckdb
CREATE TEMP VIEW "ke'pt" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
WHERE CAST("s"."se""x" AS VARCHAR) IS DISTINCT FROM 'it''s *; --' OR CAST("s"."zip; --" AS VARCHAR) IS DISTINCT FROM 'it''s *; --'

-- postgres
CREATE TEMP VIEW "ke'pt" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
WHERE CAST("s"."se""x" AS TEXT) IS DISTINCT FROM 'it''s *; --' OR CAST("s"."zip; --" AS TEXT) IS DISTINCT FROM 'it''s *; --'

-- spark
CREATE TEMP VIEW `ke'pt` AS
SELECT *
FROM `the source; DROP TABLE x` AS s
WHERE CAST(`s`.`se"x` AS STRING) IS DISTINCT FROM 'it\'s *; --' OR CAST(`s`.`zip; --` AS STRING) IS DISTINCT FROM 'it\'s *; --'
