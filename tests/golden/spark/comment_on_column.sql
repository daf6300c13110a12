ALTER TABLE `pub lic`.`pe"ople` ALTER COLUMN `zip; --` COMMENT 'it\'s'
