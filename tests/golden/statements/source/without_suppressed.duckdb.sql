-- without_suppressed
CREATE TEMP VIEW "ke'pt" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
WHERE CAST("s"."se""x" AS VARCHAR) IS DISTINCT FROM 'it''s *; --' OR CAST("s"."zip; --" AS VARCHAR) IS DISTINCT FROM 'it''s *; --'
