DESCRIBE "the source; DROP TABLE x"
