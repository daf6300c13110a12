SELECT SUM(row_count) AS row_count, SHA2(ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`heap_hash`)), ','), 256) AS seal FROM (
  SELECT SUM(row_count) AS row_count, SHA2(ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`entry`)), ','), 256) AS `heap_hash` FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS `entry`, SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT SHA2(`row_text`, 256) AS row_hash FROM (
  SELECT
    CONCAT(
      COALESCE(LENGTH(CAST(`s`.`who` AS STRING)) || ':' || CAST(`s`.`who` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`na'me` AS STRING)) || ':' || CAST(`s`.`na'me` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`s.s.n` AS STRING)) || ':' || CAST(`s`.`s.s.n` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`street` AS STRING)) || ':' || CAST(`s`.`street` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`se"x` AS STRING)) || ':' || CAST(`s`.`se"x` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`zip; --` AS STRING)) || ':' || CAST(`s`.`zip; --` AS STRING), 'NULL'),
      ',',
      COALESCE(CAST(`s`.`age
of 👩` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`SELECT` AS STRING)) || ':' || CAST(`s`.`SELECT` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`dis'ease` AS STRING)) || ':' || CAST(`s`.`dis'ease` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`ward 🏥` AS STRING)) || ':' || CAST(`s`.`ward 🏥` AS STRING), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST(`s`.`vis.it` AS STRING)) || ':' || CAST(`s`.`vis.it` AS STRING), 'NULL'),
      ','
    ) AS `row_text`
  FROM `the source; DROP TABLE x` AS s
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p
