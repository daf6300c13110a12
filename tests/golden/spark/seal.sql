SELECT SUM(row_count) AS row_count, SHA2(ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`heap_hash`)), ','), 256) AS seal FROM (
  SELECT SUM(row_count) AS row_count, SHA2(ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`entry`)), ','), 256) AS `heap_hash` FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS `entry`, SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT SHA2(`row_text`, 256) AS row_hash FROM (
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
      COALESCE(OCTET_LENGTH(TO_JSON(`s`.`age
of 👩`, MAP('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSSXXX'))) || ':' || TO_JSON(`s`.`age
of 👩`, MAP('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSSXXX')), '-'),
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
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p
