-- view_text
SHOW CREATE TABLE `sche'ma`.`vi``ew`
