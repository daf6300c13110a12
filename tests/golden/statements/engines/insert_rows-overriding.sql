-- postgres
INSERT INTO "t" ("a b") OVERRIDING SYSTEM VALUE
SELECT "a b"
FROM "staged'" AS t

-- spark
INSERT INTO `t` (`a b`) OVERRIDING SYSTEM VALUE
SELECT `a b`
FROM `staged'` AS t
