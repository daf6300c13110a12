-- spark
SHOW CREATE TABLE `sche'ma`.`vi``ew`
