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
    ',"details":',
    coalesce(
      (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"binding":',
          coalesce(to_json(t3."binding")::text, 'null'),
          ',"weight":',
          CASE WHEN t3."weight" - t3."weight" = 0 THEN t3."weight"::float8::text ELSE 'null' END,
          ',"notes":[',
          (
            SELECT string_agg(t6.json, ',')
            FROM (
              SELECT concat(
                '{"id":',
                t5.id,
                ',"text":',
                coalesce(to_json(t5."text")::text, 'null'),
                ',"order":',
                coalesce(t5."order"::text, 'null'),
                '}'
              ) AS json
              FROM "components_shop_details_components" t4
              JOIN "components_shop_footnotes" t5 ON t5.id = t4.component_id
              WHERE t4.entity_id = t3.id
              AND t4.field = 'notes'
              AND t4.component_type = 'shop.footnote'
              ORDER BY t4."order",
              t4.id
            ) t6
          ),
          ']}'
        )
        FROM "books_components" t2
        JOIN "components_shop_details" t3 ON t3.id = t2.component_id
        WHERE t2.entity_id = t1.id
        AND t2.field = 'details'
        AND t2.component_type = 'shop.details'
        ORDER BY t2.id
        LIMIT 1
      ),
      'null'
    ),
    ',"chapters":[',
    (
      SELECT string_agg(t11.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t8.id,
          ',"title":',
          coalesce(to_json(t8."title")::text, 'null'),
          ',"pages":',
          coalesce(t8."pages"::text, 'null'),
          ',"footnote":',
          coalesce(
            (
              SELECT concat(
                '{"id":',
                t10.id,
                ',"text":',
                coalesce(to_json(t10."text")::text, 'null'),
                ',"order":',
                coalesce(t10."order"::text, 'null'),
                '}'
              )
              FROM "components_shop_chapters_components" t9
              JOIN "components_shop_footnotes" t10 ON t10.id = t9.component_id
              WHERE t9.entity_id = t8.id
              AND t9.field = 'footnote'
              AND t9.component_type = 'shop.footnote'
              ORDER BY t9.id
              LIMIT 1
            ),
            'null'
          ),
          '}'
        ) AS json
        FROM "books_components" t7
        JOIN "components_shop_chapters" t8 ON t8.id = t7.component_id
        WHERE t7.entity_id = t1.id
        AND t7.field = 'chapters'
        AND t7.component_type = 'shop.chapter'
        ORDER BY t7."order",
        t7.id
      ) t11
    ),
    ']},"meta":{"availableLocales":[',
    (
      SELECT string_agg(t14.json, ',')
      FROM (
        SELECT coalesce(to_json(t13."locale")::text, 'null') AS json
        FROM "books_localizations_links" t12
        JOIN "books" t13 ON t13.id = t12."inv_book_id"
        WHERE t12."book_id" = t1.id
        ORDER BY t12."book_order",
        t12.id
      ) t14
    ),
    ']}}'
  ) AS json
  FROM "books" t1
  WHERE t1.id = $1::int8
  ORDER BY t1.id
  LIMIT 1
) a;
-- 1: 7
