-- purge_table
DROP TABLE `pub lic`.`pe"ople` PURGE
