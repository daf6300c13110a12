-- place_ranges
SELECT MIN("place_0"), MAX("place_0"), MIN("place_1"), MAX("place_1")
FROM "places, targe't" AS w
