-- create_replacement
CREATE TABLE `pub lic`.`pe"ople` (
  `se"x` STRING COMMENT 'it\'s',
  `zip; --` INT
)
USING `parquet`
PARTITIONED BY (`zip; --`)
COMMENT 'it\'s'
TBLPROPERTIES ('a.b' = 'c\'d')
