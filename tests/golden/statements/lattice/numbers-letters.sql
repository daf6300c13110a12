-- duckdb, postgres
CREATE TEMP TABLE "let'ters" AS
SELECT
  CAST("letter" AS INTEGER) AS "letter",
  CAST("chunk" AS INTEGER) AS "chunk",
  CAST("letter_bit" AS BIGINT) AS "letter_bit"
FROM (
  VALUES
    (-1, -1, 1),
    (0, 0, 1),
    (1, 0, 2),
    (2, 1, 4),
    (3, 2, 1)
) AS v ("letter", "chunk", "letter_bit")

-- spark
CREATE TEMP VIEW `let'ters` AS
SELECT
  CAST(`letter` AS INTEGER) AS `letter`,
  CAST(`chunk` AS INTEGER) AS `chunk`,
  CAST(`letter_bit` AS BIGINT) AS `letter_bit`
FROM (
  VALUES
    (-1, -1, 1),
    (0, 0, 1),
    (1, 0, 2),
    (2, 1, 4),
    (3, 2, 1)
) AS v (`letter`, `chunk`, `letter_bit`)
