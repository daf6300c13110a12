-- spark
DROP TABLE `pub lic`.`pe"ople` PURGE
