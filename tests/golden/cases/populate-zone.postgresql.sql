SELECT convert_to(
  CASE
  WHEN octet_length(a.json) > 33554432
  THEN ('octavo: too large ' || octet_length(a.json))::int8::text
  ELSE a.json END,
  'UTF8'
)
FROM (
  SELECT concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(to_json(t1."title")::text, 'null'),
    ',"extras":[',
    (
      SELECT string_agg(t6.json, ',')
      FROM (
        SELECT CASE t2."component_type"
        WHEN 'shop.quote'
        THEN (
          SELECT concat(
            '{"id":',
            t3.id,
            ',"__component":"shop.quote","text":',
            coalesce(to_json(t3."text")::text, 'null'),
            '}'
          )
          FROM "components_shop_quotes" t3
          WHERE t3.id = t2."component_id"
        )
        WHEN 'shop.chapter'
        THEN (
          SELECT concat(
            '{"id":',
            t4.id,
            ',"__component":"shop.chapter","title":',
            coalesce(to_json(t4."title")::text, 'null'),
            ',"pages":',
            coalesce(t4."pages"::text, 'null'),
            '}'
          )
          FROM "components_shop_chapters" t4
          WHERE t4.id = t2."component_id"
        )
        WHEN 'shop-odd.banner-2'
        THEN (
          SELECT concat(
            '{"id":',
            t5.id,
            ',"__component":"shop-odd.banner-2","label":',
            coalesce(to_json(t5."label")::text, 'null'),
            '}'
          )
          FROM "components_shop_odd_banners" t5
          WHERE t5.id = t2."component_id"
        )
        ELSE CASE
        WHEN t2."component_type" IN ('shop.details', 'shop.footnote')
        THEN concat('api::book.bookextras', t2."component_type", '') END END AS json
        FROM "books_components" t2
        WHERE t2."entity_id" = t1.id
        AND t2.field = 'extras'
        ORDER BY t2."order",
        t2.id
      ) t6
    ),
    ']},"meta":{"availableLocales":[',
    (
      SELECT string_agg(t9.json, ',')
      FROM (
        SELECT coalesce(to_json(t8."locale")::text, 'null') AS json
        FROM "books_localizations_links" t7
        JOIN "books" t8 ON t8.id = t7."inv_book_id"
        WHERE t7."book_id" = t1.id
        ORDER BY t7."book_order",
        t7.id
      ) t9
    ),
    ']}}'
  ) AS json
  FROM "books" t1
  WHERE t1.id = $1::int8
  ORDER BY t1.id
  LIMIT 1
) a;
-- 1: 4
