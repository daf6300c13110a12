-- set_key
SET VARIABLE "kanon_key_7191c3cf" = (
  SELECT
    CASE
      WHEN octet_length(encode(getenv('KANON_TEST_KEY'))) >= 16 THEN encode(getenv('KANON_TEST_KEY'))
      ELSE error('the key must have 16 bytes or more')
    END
)
