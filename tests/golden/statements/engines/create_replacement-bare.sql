-- spark
CREATE TABLE `pub lic`.`pe"ople` (
  `se"x` STRING COMMENT 'it\'s'
)
USING `orc`
