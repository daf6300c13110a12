-- Visits of made-up people, the same for every run, thread count and version of the database: the only randomness is
-- MD5 of the person's number and of the visit's, and the arithmetic is sums and products.
SELECT
  person,
  CASE WHEN u1 < 0.49 THEN 'm' ELSE 'f' END AS sex,
  CAST(FLOOR(90 * u2 * (0.4 + 0.6 * u2)) AS INTEGER) + CAST(FLOOR(4 * v2) AS INTEGER) AS age,
  printf('%05d', 100 * (100 + (97 * CAST(FLOOR(20 * u3 * u3 * u3) AS INTEGER)) % 900) + 7 * CAST(FLOOR(8 * u4 * u4) AS INTEGER)) AS zip,
  CASE WHEN v1 < 0.7 THEN 'ward ' || CAST(FLOOR(8 * u5 * u5) AS INTEGER) ELSE 'ward ' || CAST(FLOOR(8 * v3 * v3) AS INTEGER) END AS ward,
  DATE '2020-01-01' + CAST(FLOOR(1461 * v2) AS INTEGER) AS visited,
  printf('D%02d', CAST(FLOOR(40 * (0.5 * u2 + 0.5 * v4 * v4)) AS INTEGER)) AS disease
FROM (
  SELECT
    *,
    CAST(d & 65535 AS DOUBLE) / 65536 AS v1,
    CAST((d >> 16) & 65535 AS DOUBLE) / 65536 AS v2,
    CAST((d >> 32) & 65535 AS DOUBLE) / 65536 AS v3,
    CAST((d >> 48) & 65535 AS DOUBLE) / 65536 AS v4
  FROM (
    SELECT
      *,
      md5_number_lower('v' || person || '-' || visit) AS d
    FROM (
      SELECT
        *,
        UNNEST(range(1 + CAST(FLOOR(32 * u6 * u6 * u6) AS INTEGER))) AS visit
      FROM (
        SELECT
          person,
          CAST(a & 65535 AS DOUBLE) / 65536 AS u1,
          CAST((a >> 16) & 65535 AS DOUBLE) / 65536 AS u2,
          CAST((a >> 32) & 65535 AS DOUBLE) / 65536 AS u3,
          CAST((a >> 48) & 65535 AS DOUBLE) / 65536 AS u4,
          CAST(b & 65535 AS DOUBLE) / 65536 AS u5,
          CAST((b >> 16) & 65535 AS DOUBLE) / 65536 AS u6
        FROM (
          SELECT
            range AS person,
            md5_number_lower('a' || range) AS a,
            md5_number_lower('b' || range) AS b
          FROM range(getvariable('visits_persons'))
        ) AS hashed
      ) AS uniform
    ) AS visits
  ) AS numbered
) AS drawn
