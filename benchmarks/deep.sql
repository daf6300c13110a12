-- People with columns of 100,000 values each: a zip code of nine digits, and a birth to the second. The only
-- randomness is MD5 of the row's number.
SELECT
  person,
  CASE WHEN a & 1 = 0 THEN 'Male' ELSE 'Female' END AS sex,
  CAST(FLOOR(8 * u1 * u1) AS INTEGER) AS household,
  printf('%09d', 9973 * CAST(FLOOR(getvariable('domain') * u2 * u2) AS BIGINT)) AS zip,
  TIMESTAMP '1930-01-01' + TO_SECONDS(27901 * CAST(FLOOR(getvariable('domain') * u3) AS BIGINT)) AS born,
  printf('D%02d', CAST(FLOOR(40 * u4 * u4) AS INTEGER)) AS disease
FROM (
  SELECT
    person,
    a,
    CAST((a >> 1) & 4294967295 AS DOUBLE) / 4294967296 AS u1,
    CAST(b & 4294967295 AS DOUBLE) / 4294967296 AS u2,
    CAST((b >> 32) & 4294967295 AS DOUBLE) / 4294967296 AS u3,
    CAST((a >> 33) & 1073741823 AS DOUBLE) / 1073741824 AS u4
  FROM (
    SELECT
      range AS person,
      md5_number_lower('a' || range) AS a,
      md5_number_lower('b' || range) AS b
    FROM range(CAST(getvariable('people') AS BIGINT))
  ) AS hashed
) AS uniform
