SELECT
  COUNT(*) AS row_count,
  SUM(CAST(CONV(CONCAT(SUBSTR(MD5(`row_text`), 15, 2), SUBSTR(MD5(`row_text`), 13, 2), SUBSTR(MD5(`row_text`), 11, 2), SUBSTR(MD5(`row_text`), 9, 2), SUBSTR(MD5(`row_text`), 7, 2), SUBSTR(MD5(`row_text`), 5, 2), SUBSTR(MD5(`row_text`), 3, 2), SUBSTR(MD5(`row_text`), 1, 1)), 16, 10) AS DECIMAL(20, 0))) AS fingerprint
FROM (
  SELECT
    CONCAT(
      COALESCE(OCTET_LENGTH(CAST(`s`.`who` AS STRING)) || ':' || CAST(`s`.`who` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`na'me` AS STRING)) || ':' || CAST(`s`.`na'me` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`s.s.n` AS STRING)) || ':' || CAST(`s`.`s.s.n` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`street` AS STRING)) || ':' || CAST(`s`.`street` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`se"x` AS STRING)) || ':' || CAST(`s`.`se"x` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`zip; --` AS STRING)) || ':' || CAST(`s`.`zip; --` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`age
of 👩` AS STRING)) || ':' || CAST(`s`.`age
of 👩` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`SELECT` AS STRING)) || ':' || CAST(`s`.`SELECT` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`dis'ease` AS STRING)) || ':' || CAST(`s`.`dis'ease` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`ward 🏥` AS STRING)) || ':' || CAST(`s`.`ward 🏥` AS STRING), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`vis.it` AS STRING)) || ':' || CAST(`s`.`vis.it` AS STRING), '-'),
      ','
    ) AS `row_text`
  FROM `the source; DROP TABLE x` AS s
) AS r
