-- date_shapes
SELECT
  number,
  shape,
  row_count,
  least_1,
  largest_1,
  least_2,
  largest_2,
  least_3,
  largest_3,
  day_first,
  month_first,
  year_first,
  first_is_day,
  second_is_day,
  digits_day_first,
  digits_month_first,
  digits_year_first
FROM (
  SELECT
    number,
    shape,
    SUM(row_count) AS row_count,
    COALESCE(MIN("number_1"), 0) AS "least_1",
    COALESCE(MAX("number_1"), 0) AS "largest_1",
    COALESCE(MIN("number_2"), 0) AS "least_2",
    COALESCE(MAX("number_2"), 0) AS "largest_2",
    COALESCE(MIN("number_3"), 0) AS "least_3",
    COALESCE(MAX("number_3"), 0) AS "largest_3",
    SUM(CASE WHEN number_1 BETWEEN 1 AND 31 AND number_2 BETWEEN 1 AND 12 THEN row_count ELSE 0 END) AS day_first,
    SUM(CASE WHEN number_1 BETWEEN 1 AND 12 AND number_2 BETWEEN 1 AND 31 THEN row_count ELSE 0 END) AS month_first,
    SUM(CASE WHEN number_2 BETWEEN 1 AND 12 AND number_3 BETWEEN 1 AND 31 THEN row_count ELSE 0 END) AS year_first,
    SUM(CASE WHEN number_1 BETWEEN 1 AND 31 THEN row_count ELSE 0 END) AS first_is_day,
    SUM(CASE WHEN number_2 BETWEEN 1 AND 31 THEN row_count ELSE 0 END) AS second_is_day,
    SUM(CASE WHEN SUBSTR(numbers, 2, 2) BETWEEN '01' AND '31' AND SUBSTR(numbers, 4, 2) BETWEEN '01' AND '12' AND (SUBSTR(numbers, 6, 4) BETWEEN '1800' AND '2200' OR SUBSTR(numbers, 6, 4) = '9999') THEN row_count ELSE 0 END) AS digits_day_first,
    SUM(CASE WHEN SUBSTR(numbers, 2, 2) BETWEEN '01' AND '12' AND SUBSTR(numbers, 4, 2) BETWEEN '01' AND '31' AND (SUBSTR(numbers, 6, 4) BETWEEN '1800' AND '2200' OR SUBSTR(numbers, 6, 4) = '9999') THEN row_count ELSE 0 END) AS digits_month_first,
    SUM(CASE WHEN (SUBSTR(numbers, 2, 4) BETWEEN '1800' AND '2200' OR SUBSTR(numbers, 2, 4) = '9999') AND SUBSTR(numbers, 6, 2) BETWEEN '01' AND '12' AND SUBSTR(numbers, 8, 2) BETWEEN '01' AND '31' THEN row_count ELSE 0 END) AS digits_year_first,
    ROW_NUMBER() OVER (PARTITION BY number ORDER BY SUM(row_count) DESC, shape) AS nth
  FROM (
    SELECT
      number,
      row_count,
      numbers,
      CASE WHEN LENGTH(SPLIT_PART(numbers, '-', 2)) BETWEEN 1 AND 15 THEN CAST(SPLIT_PART(numbers, '-', 2) AS BIGINT) END AS "number_1",
      CASE WHEN LENGTH(SPLIT_PART(numbers, '-', 3)) BETWEEN 1 AND 15 THEN CAST(SPLIT_PART(numbers, '-', 3) AS BIGINT) END AS "number_2",
      CASE WHEN LENGTH(SPLIT_PART(numbers, '-', 4)) BETWEEN 1 AND 15 THEN CAST(SPLIT_PART(numbers, '-', 4) AS BIGINT) END AS "number_3",
      REPLACE(REPLACE(TRANSLATE(marked, '0123456789', '9999999999'), '9999', 'Y'), '99', '9') AS shape
    FROM (
      SELECT
        number,
        row_count,
        marked,
        REPLACE(REPLACE(REPLACE('-' || TRANSLATE(marked, ' ./-,:+tzqwEPB', '--------------'), '--', '-'), '--', '-'), '--', '-') AS numbers
      FROM (
        SELECT
          number,
          row_count,
          CASE
            WHEN letters IN ('', 't', 'tz', 'z', 'q', 'w') THEN low
            WHEN letters IN ('jan', 'january', 'januar', 'jänner', 'janvier', 'janv', 'enero', 'ene', 'feb', 'february', 'februar', 'february', 'février', 'fÉvrier', 'fevrier', 'févr', 'fÉvr', 'fevr', 'fév', 'febrero', 'mar', 'march', 'märz', 'mÄrz', 'maerz', 'mär', 'mÄr', 'mrz', 'mars', 'marzo', 'apr', 'april', 'avril', 'avr', 'abril', 'abr', 'may', 'mai', 'mayo', 'jun', 'june', 'juni', 'juin', 'junio', 'jul', 'july', 'juli', 'juillet', 'juil', 'julio', 'aug', 'august', 'août', 'aoÛt', 'aout', 'agosto', 'ago', 'sep', 'sept', 'september', 'septembre', 'septiembre', 'setiembre', 'oct', 'october', 'okt', 'oktober', 'octobre', 'octubre', 'nov', 'november', 'novembre', 'noviembre', 'dec', 'december', 'dez', 'dezember', 'décembre', 'dÉcembre', 'decembre', 'déc', 'dÉc', 'diciembre', 'dic') THEN REPLACE(low, letters, 'B')
          END AS marked
        FROM (
          SELECT number, row_count, low, TRANSLATE(low, '0123456789 ./-,:+EP', '') AS letters
          FROM (
            SELECT
              number,
              row_count,
              REPLACE(CASE WHEN SUBSTR(low, LENGTH(low) - 1) IN ('am', 'pm') THEN SUBSTR(low, 1, LENGTH(low) - 2) || 'P' ELSE low END, ' de ', ' E ') AS low
            FROM (
              SELECT
                number,
                row_count,
                CASE
                  WHEN low LIKE '%1st%' OR low LIKE '%2nd%' OR low LIKE '%3rd%' OR low LIKE '%1er%' OR low LIKE '%th%'                    THEN REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(low, '1st', '1'), '2nd', '2'), '3rd', '3'), '1er', '1'), '0th', '0'), '1th', '1'), '2th', '2'), '3th', '3'), '4th', '4'), '5th', '5'), '6th', '6'), '7th', '7'), '8th', '8'), '9th', '9')                  ELSE low
                END AS low
              FROM (
                SELECT
                  0 AS number,
                  REPLACE(LOWER(TRIM(label)), '.m.', 'm') AS low,
                  row_count
                FROM (
                  SELECT CAST("s"."vis.it" AS VARCHAR) AS label, COUNT(*) AS row_count
                  FROM "the source; DROP TABLE x" AS s
                  GROUP BY CAST("s"."vis.it" AS VARCHAR)
                ) AS g
                WHERE LENGTH(TRIM(label)) BETWEEN 4 AND 40
                UNION ALL
                SELECT
                  1 AS number,
                  REPLACE(LOWER(TRIM(label)), '.m.', 'm') AS low,
                  row_count
                FROM (
                  SELECT CAST("s"."na'me" AS VARCHAR) AS label, COUNT(*) AS row_count
                  FROM "the source; DROP TABLE x" AS s
                  GROUP BY CAST("s"."na'me" AS VARCHAR)
                ) AS g
                WHERE LENGTH(TRIM(label)) BETWEEN 4 AND 40
              ) AS s
            ) AS v
          ) AS h
        ) AS l
      ) AS w
      WHERE marked IS NOT NULL
    ) AS d
  ) AS n
  GROUP BY number, shape
) AS r
WHERE nth <= 40
ORDER BY number, nth
