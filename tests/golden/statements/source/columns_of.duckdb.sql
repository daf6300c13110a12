-- columns_of
DESCRIBE "the source; DROP TABLE x"
