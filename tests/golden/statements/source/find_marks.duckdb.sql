-- find_marks
SELECT
  f."Quote" AS quote_mark,
  f."Comment" AS comment_mark,
  f."Delimiter" AS delimiter
FROM sniff_csv('pe''ople.csv', delim = '|') AS f
