-- A table of any size, the same in every version and with any number of threads: the only randomness is MD5 of the row's
-- number. `drawn` holds, for each row, as many numbers as it is to have columns, skewed towards 0 and below `values`.
SELECT
  range AS person,
  LIST_TRANSFORM(
    RANGE(getvariable('columns')),
    LAMBDA n: CAST(
      FLOOR(
        getvariable('values')
        * POWER((md5_number_lower(range || ':' || n) & 1048575) / 1048576.0, 2)
      ) AS BIGINT
    )
  ) AS drawn,
  CAST(FLOOR(10 * POWER((md5_number_lower(range || ':disease') & 65535) / 65536.0, 2)) AS INTEGER) AS illness
FROM range(getvariable('wanted'))
