-- count_fractions
SELECT
  COUNT(*) FILTER (WHERE NOT isnan("f"."se'x") AND ("f"."se'x" <> FLOOR("f"."se'x") OR ABS("f"."se'x") > 9007199254740992)),
  COUNT(*) FILTER (WHERE NOT isnan("f"."a'ge") AND ("f"."a'ge" <> FLOOR("f"."a'ge") OR ABS("f"."a'ge") > 9007199254740992)),
  COUNT(*) FILTER (WHERE NOT isnan("f"."weight") AND ("f"."weight" <> FLOOR("f"."weight") OR ABS("f"."weight") > 9007199254740992))
FROM "tak'en" AS f
