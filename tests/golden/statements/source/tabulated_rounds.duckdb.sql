-- tabulated_rounds
CREATE TEMP TABLE "rou'nds" AS
SELECT
  r.turn,
  r.length,
  r.other,
  CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(("r"."turn" || CAST("r"."length" AS VARCHAR) || ' ' || CAST("r"."other" AS VARCHAR)))), 1, 15) AS BIGINT) AS number
FROM (
  SELECT '1 ' AS turn, 7 AS length, UNNEST(RANGE(10000)) AS other UNION ALL
  SELECT '2 ' AS turn, 6 AS length, UNNEST(RANGE(1000)) AS other
) AS r
