-- set_pad
SET VARIABLE "kanon_inner_7191c3cf" = (
  SELECT unhex(string_agg(printf('%02x', xor(54, byte)), '' ORDER BY place))
  FROM (
    SELECT
      place,
      CASE
        WHEN 2 * place < LENGTH(digits) THEN CAST(CONCAT('0x', SUBSTR(digits, 2 * place + 1, 2)) AS INTEGER)
        ELSE 0
      END AS byte
    FROM (
      SELECT
        CASE
          WHEN octet_length(getvariable('kanon_key_7191c3cf')) > 64 THEN sha256(getvariable('kanon_key_7191c3cf'))
          ELSE hex(getvariable('kanon_key_7191c3cf'))
        END AS digits
    ) AS k
    CROSS JOIN (SELECT UNNEST(range(64)) AS place) AS r
  ) AS b
)
