-- rows_of_partition
CREATE TEMP VIEW "pa'rt" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
WHERE CAST("s"."se""x" AS VARCHAR) = 'it''s' AND CAST("s"."zip; --" AS VARCHAR) = '; --'
