-- number_shapes
SELECT
  number,
  before_text,
  after_text,
  row_count,
  "read_0",
  "read_1",
  "read_2",
  "read_3",
  "read_4",
  "read_5",
  "read_6",
  "read_7",
  whole,
  zero_led,
  all_rows
FROM (
  SELECT
    number,
    before_text,
    after_text,
    SUM(row_count) AS row_count,
    SUM(CASE WHEN is_whole = 1 OR struct_extract(regexp_extract(CAST("core" AS VARCHAR), '^(?:((?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?))$', ['group_1']), 'group_1') <> '' THEN row_count ELSE 0 END) AS "read_0",
    SUM(CASE WHEN is_whole = 1 OR struct_extract(regexp_extract(CAST("core" AS VARCHAR), '^(?:((?:[0-9]+(?:[,][0-9]*)?|[,][0-9]+)(?:[eE][+-]?[0-9]{1,2})?))$', ['group_1']), 'group_1') <> '' THEN row_count ELSE 0 END) AS "read_1",
    SUM(CASE WHEN is_whole = 1 OR struct_extract(regexp_extract(CAST("core" AS VARCHAR), '^(?:((?:(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?|[1-9][0-9]{0,2}(?:[,][0-9]{3})+(?:[.][0-9]*)?)))$', ['group_1']), 'group_1') <> '' THEN row_count ELSE 0 END) AS "read_2",
    SUM(CASE WHEN is_whole = 1 OR struct_extract(regexp_extract(CAST("core" AS VARCHAR), '^(?:((?:(?:[0-9]+(?:[,][0-9]*)?|[,][0-9]+)(?:[eE][+-]?[0-9]{1,2})?|[1-9][0-9]{0,2}(?:[.][0-9]{3})+(?:[,][0-9]*)?)))$', ['group_1']), 'group_1') <> '' THEN row_count ELSE 0 END) AS "read_3",
    SUM(CASE WHEN is_whole = 1 OR struct_extract(regexp_extract(CAST("core" AS VARCHAR), '^(?:((?:(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?|[1-9][0-9]{0,2}(?:[ ][0-9]{3})+(?:[.][0-9]*)?)))$', ['group_1']), 'group_1') <> '' THEN row_count ELSE 0 END) AS "read_4",
    SUM(CASE WHEN is_whole = 1 OR struct_extract(regexp_extract(CAST("core" AS VARCHAR), '^(?:((?:(?:[0-9]+(?:[,][0-9]*)?|[,][0-9]+)(?:[eE][+-]?[0-9]{1,2})?|[1-9][0-9]{0,2}(?:[ ][0-9]{3})+(?:[,][0-9]*)?)))$', ['group_1']), 'group_1') <> '' THEN row_count ELSE 0 END) AS "read_5",
    SUM(CASE WHEN is_whole = 1 OR struct_extract(regexp_extract(CAST("core" AS VARCHAR), '^(?:((?:(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?|[1-9][0-9]{0,2}(?:[''][0-9]{3})+(?:[.][0-9]*)?)))$', ['group_1']), 'group_1') <> '' THEN row_count ELSE 0 END) AS "read_6",
    SUM(CASE WHEN is_whole = 1 OR struct_extract(regexp_extract(CAST("core" AS VARCHAR), '^(?:((?:(?:[0-9]+(?:[,][0-9]*)?|[,][0-9]+)(?:[eE][+-]?[0-9]{1,2})?|[1-9][0-9]{0,2}(?:[''][0-9]{3})+(?:[,][0-9]*)?)))$', ['group_1']), 'group_1') <> '' THEN row_count ELSE 0 END) AS "read_7",
    SUM(CASE WHEN is_whole = 1 THEN row_count ELSE 0 END) AS whole,
    SUM(CASE WHEN is_whole = 1 AND SUBSTR(core, 1, 1) = '0' AND LENGTH(core) > 1 THEN row_count ELSE 0 END) AS zero_led,
    CAST(SUM(SUM(row_count)) OVER (PARTITION BY number) AS BIGINT) AS all_rows,
    ROW_NUMBER() OVER (PARTITION BY number ORDER BY SUM(row_count) DESC, before_text, after_text) AS nth
  FROM (
    SELECT
      number,
      row_count,
      before_text,
      after_text,
      core,
      CASE WHEN core <> '' AND TRANSLATE(core, '0123456789', '') = '' THEN 1 ELSE 0 END AS is_whole
    FROM (
      SELECT
        number,
        row_count,
        TRIM(TRANSLATE(before_text, '()+-', '')) AS before_text,
        TRIM(TRANSLATE(after_text, '()+-', '')) AS after_text,
        CASE WHEN SUBSTR(core, 1, 1) IN ('+', '-') THEN TRIM(SUBSTR(core, 2)) ELSE core END AS core
      FROM (
        SELECT
          number,
          row_count,
          before_text,
          after_text,
          TRIM(CASE WHEN plain LIKE '(%)' THEN TRANSLATE(SUBSTR(plain, LENGTH(before_text) + 1, LENGTH(plain) - LENGTH(before_text) - LENGTH(after_text)), '()', '') ELSE SUBSTR(plain, LENGTH(before_text) + 1, LENGTH(plain) - LENGTH(before_text) - LENGTH(after_text)) END) AS core
        FROM (
          SELECT
            number,
            row_count,
            plain,
            CASE WHEN TRANSLATE(before_text, '0123456789', '') = before_text AND LENGTH(before_text) <= 12 THEN before_text ELSE '' END AS before_text,
            CASE WHEN TRANSLATE(after_text, '0123456789', '') = after_text AND LENGTH(after_text) <= 12 THEN after_text ELSE '' END AS after_text
          FROM (
            SELECT
              number,
              row_count,
              plain,
              TRIM(TRAILING '0123456789.,'' ()+-' FROM plain) AS before_text,
              TRIM(LEADING '0123456789.,'' ()+-' FROM plain) AS after_text
            FROM (
              SELECT
                0 AS number,
                TRIM(TRANSLATE(label, '   ', '   ')) AS plain,
                row_count
              FROM (
                SELECT TRANSLATE(label, '12345678', '99999999') AS label, SUM(row_count) AS row_count
                FROM (
                  SELECT CAST("s"."ward 🏥" AS VARCHAR) AS label, COUNT(*) AS row_count
                  FROM "the source; DROP TABLE x" AS s
                  GROUP BY CAST("s"."ward 🏥" AS VARCHAR)
                ) AS t
                GROUP BY TRANSLATE(label, '12345678', '99999999')
              ) AS g
              UNION ALL
              SELECT
                1 AS number,
                TRIM(TRANSLATE(label, '   ', '   ')) AS plain,
                row_count
              FROM (
                SELECT TRANSLATE(label, '12345678', '99999999') AS label, SUM(row_count) AS row_count
                FROM (
                  SELECT CAST("s"."na'me" AS VARCHAR) AS label, COUNT(*) AS row_count
                  FROM "the source; DROP TABLE x" AS s
                  GROUP BY CAST("s"."na'me" AS VARCHAR)
                ) AS t
                GROUP BY TRANSLATE(label, '12345678', '99999999')
              ) AS g
            ) AS v
            WHERE TRANSLATE(plain, '0123456789', '') <> plain
          ) AS a
        ) AS b
      ) AS c
    ) AS d
  ) AS w
  GROUP BY number, before_text, after_text
) AS r
WHERE nth <= 20
ORDER BY number, nth
