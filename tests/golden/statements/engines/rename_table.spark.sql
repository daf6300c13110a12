-- rename_table
ALTER TABLE `pub lic`.`pe"ople` RENAME TO `pub lic`.`o'ther`
