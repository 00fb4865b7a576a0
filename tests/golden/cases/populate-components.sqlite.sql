SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    json_quote(t1."title"),
    ',"details":',
    coalesce(
      (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"binding":',
          json_quote(t3."binding"),
          ',"weight":',
          CASE
          WHEN t3."weight" = CAST(t3."weight" AS INTEGER)
          THEN CAST(CAST(t3."weight" AS INTEGER) AS TEXT)
          WHEN t3."weight" - t3."weight" = 0
          THEN json_quote(t3."weight")
          ELSE 'null' END,
          ',"notes":[',
          (
            SELECT group_concat(t6.json, ',')
            FROM (
              SELECT concat(
                '{"id":',
                t5.id,
                ',"text":',
                json_quote(t5."text"),
                ',"order":',
                json_quote(t5."order"),
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
      SELECT group_concat(t11.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t8.id,
          ',"title":',
          json_quote(t8."title"),
          ',"pages":',
          json_quote(t8."pages"),
          ',"footnote":',
          coalesce(
            (
              SELECT concat(
                '{"id":',
                t10.id,
                ',"text":',
                json_quote(t10."text"),
                ',"order":',
                json_quote(t10."order"),
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
      SELECT group_concat(t14.json, ',')
      FROM (
        SELECT json_quote(t13."locale") AS json
        FROM "books_localizations_links" t12
        JOIN "books" t13 ON t13.id = t12."inv_book_id"
        WHERE t12."book_id" = t1.id
        ORDER BY t12."book_order",
        t12.id
      ) t14
    ),
    ']}}'
  ) AS BLOB
)
FROM "books" t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 7
