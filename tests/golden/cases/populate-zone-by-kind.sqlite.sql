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
            ',"source":{"data":',
            coalesce(
              (
                SELECT concat(
                  '{"id":',
                  t5.id,
                  ',"attributes":{"name":',
                  json_quote(t5."name"),
                  '}}'
                )
                FROM "components_shop_quotes_source_links" t4
                JOIN "authors" t5 ON t5.id = t4."author_id"
                WHERE t4."quote_id" = t3.id
                ORDER BY t4.id
                LIMIT 1
              ),
              'null'
            ),
            '}}'
          )
          FROM "components_shop_quotes" t3
          WHERE t3.id = t2."component_id"
        ) END AS json
        FROM "books_components" t2
        WHERE t2."entity_id" = t1.id
        AND t2."component_type" IN ('shop.quote')
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
