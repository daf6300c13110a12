-- duckdb
CREATE TEMP TABLE "cover'ed by itself" AS
SELECT
  a.value,
  COALESCE('v' || decode(encode(CAST("a"."value" AS VARCHAR))), '') AS own,
  a.spot AS place,
  l.label
FROM (
  SELECT DISTINCT label
  FROM "weigh'ed places of age
of 👩"
) AS l
JOIN (
  SELECT
    value,
    place,
    DENSE_RANK() OVER (ORDER BY place) AS spot
  FROM "line; 0"
) AS a ON COALESCE('v' || decode(encode(CAST("a"."value" AS VARCHAR))), '') = l.label

-- postgres
CREATE TEMP TABLE "cover'ed by itself" AS
SELECT
  a.value,
  COALESCE('v' || (CAST("a"."value" AS TEXT) COLLATE "default"), '') AS own,
  a.spot AS place,
  l.label
FROM (
  SELECT DISTINCT label
  FROM "weigh'ed places of age
of 👩"
) AS l
JOIN (
  SELECT
    value,
    place,
    DENSE_RANK() OVER (ORDER BY place) AS spot
  FROM "line; 0"
) AS a ON COALESCE('v' || (CAST("a"."value" AS TEXT) COLLATE "default"), '') = l.label

-- spark
CREATE TEMP VIEW `cover'ed by itself` AS
SELECT
  a.value,
  COALESCE('v' || (CAST(`a`.`value` AS STRING) COLLATE UTF8_BINARY), '') AS own,
  a.spot AS place,
  l.label
FROM (
  SELECT DISTINCT label
  FROM `weigh'ed places of age
of 👩`
) AS l
JOIN (
  SELECT
    value,
    place,
    DENSE_RANK() OVER (ORDER BY place) AS spot
  FROM `line; 0`
) AS a ON COALESCE('v' || (CAST(`a`.`value` AS STRING) COLLATE UTF8_BINARY), '') = l.label
