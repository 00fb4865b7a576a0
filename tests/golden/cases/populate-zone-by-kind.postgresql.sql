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
            ',"source":{"data":',
            coalesce(
              (
                SELECT concat(
                  '{"id":',
                  t5.id,
                  ',"attributes":{"name":',
                  coalesce(to_json(t5."name")::text, 'null'),
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
