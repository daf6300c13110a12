CREATE TABLE `pub lic`.`pe"ople`
USING `orc`
AS
SELECT `se"x`, `zip; --`
FROM `staged'` AS t
