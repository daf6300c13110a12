-- What a census of made-up people lacks for twenty quasi-identifiers: twelve numbers that depend on
-- age, schooling and each other, as those of people do. The only randomness is MD5 of the person's
-- number.
SELECT
  c.*,
  CAST(CASE WHEN c.age < 16 THEN 0 ELSE 20 + 40 * v1 * (1 - 0.5 * v2) END AS INTEGER) AS hours,
  CAST(FLOOR(120 * v2 * v2 * v2) AS INTEGER) AS commute,
  CAST(FLOOR(1 + 7 * (0.5 * v3 + 0.5 * wealth)) AS INTEGER) AS rooms,
  CAST(FLOOR(CASE WHEN c.age < 18 THEN 0 ELSE 6 * v4 * v4 * v4 END) AS INTEGER) AS children,
  CAST(50 * FLOOR(6 + 50 * wealth * (0.3 + 0.7 * v5)) AS INTEGER) AS rent,
  CAST(CASE WHEN c.country = 'United-States' THEN 0 ELSE 2020 - FLOOR(60 * v6 * v6) END AS INTEGER) AS arrived,
  CAST(FLOOR(140 + 0.3 * LEAST(c.age, 20) + 30 * (v7 + v8) * 0.6 + CASE WHEN c.sex = 'Male' THEN 8 ELSE 0 END) AS INTEGER) AS height,
  CAST(FLOOR(40 + 25 * (v7 + v8) + 30 * v9 * v9) AS INTEGER) AS weight,
  CAST(FLOOR(4 * v10 * v10 * (0.4 + wealth)) AS INTEGER) AS cars,
  CAST(FLOOR(25 * v11 * v11 * v11) AS INTEGER) AS storey,
  CAST(FLOOR(30 + 300 * wealth * v12 + 20 * v3) AS INTEGER) AS bill,
  CAST(FLOOR(GREATEST(c.age - 16, 0) * v1 * v12) AS INTEGER) AS tenure
FROM (
  SELECT
    person,
    CAST(a & 65535 AS DOUBLE) / 65536 AS v1,
    CAST((a >> 16) & 65535 AS DOUBLE) / 65536 AS v2,
    CAST((a >> 32) & 65535 AS DOUBLE) / 65536 AS v3,
    CAST((a >> 48) & 65535 AS DOUBLE) / 65536 AS v4,
    CAST(b & 65535 AS DOUBLE) / 65536 AS v5,
    CAST((b >> 16) & 65535 AS DOUBLE) / 65536 AS v6,
    CAST((b >> 32) & 65535 AS DOUBLE) / 65536 AS v7,
    CAST((b >> 48) & 65535 AS DOUBLE) / 65536 AS v8,
    CAST(c & 65535 AS DOUBLE) / 65536 AS v9,
    CAST((c >> 16) & 65535 AS DOUBLE) / 65536 AS v10,
    CAST((c >> 32) & 65535 AS DOUBLE) / 65536 AS v11,
    CAST((c >> 48) & 65535 AS DOUBLE) / 65536 AS v12,
    LEAST(CAST(income AS DOUBLE) / 160000, 1.0) AS wealth
  FROM (
    SELECT
      person,
      income,
      md5_number_lower('d' || person) AS a,
      md5_number_lower('e' || person) AS b,
      md5_number_lower('f' || person) AS c
    FROM census
  ) AS hashed
) AS drawn
JOIN census AS c ON c.person = drawn.person
ORDER BY c.person
