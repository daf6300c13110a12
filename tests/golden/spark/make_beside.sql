CREATE TABLE `pub lic`.`pe"ople`
USING `parquet`
PARTITIONED BY (`zip; --`)
COMMENT 'it\'s'
TBLPROPERTIES ('a.b' = 'c\'d')
AS
SELECT `se"x`, `zip; --`
FROM `staged'` AS t
