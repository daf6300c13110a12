-- row_hashes
CREATE TEMP TABLE "live; --" AS
SELECT
  t."se""x",
  t."zip; --",
  t."dis'ease",
  t."who",
  CAST(unhex(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("t"."row_text" AS VARCHAR))), 1, 32)) AS UUID) AS row_hash
FROM (
  SELECT
    r.*,
    'row' || CAST("r"."s.s.n" AS VARCHAR) AS row_text
  FROM "the source; DROP TABLE x" AS r
) AS t
