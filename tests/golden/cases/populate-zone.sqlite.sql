SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    json_quote(t1."title"),
    ',"extras":[',
    (
      SELECT group_concat(t6.json, ',')
      FROM (
        SELECT CASE t2."component_type"
        WHEN 'shop.quote'
        THEN (
          SELECT concat(
            '{"id":',
            t3.id,
            ',"__component":"shop.quote","text":',
            json_quote(t3."text"),
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
            json_quote(t4."title"),
            ',"pages":',
            json_quote(t4."pages"),
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
            json_quote(t5."label"),
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
      SELECT group_concat(t9.json, ',')
      FROM (
        SELECT json_quote(t8."locale") AS json
        FROM "books_localizations_links" t7
        JOIN "books" t8 ON t8.id = t7."inv_book_id"
        WHERE t7."book_id" = t1.id
        ORDER BY t7."book_order",
        t7.id
      ) t9
    ),
    ']}}'
  ) AS BLOB
)
FROM "books" t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 4
