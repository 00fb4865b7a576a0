SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(json_quote(t1.`title`), 'null' COLLATE utf8mb4_bin),
    ',"extras":[',
    (
      SELECT group_concat(
        CASE t2.`component_type`
        WHEN 'shop.quote'
        THEN (
          SELECT concat_ws(
            '',
            '{"id":',
            t3.id,
            ',"__component":"shop.quote","text":',
            coalesce(json_quote(t3.`text`), 'null' COLLATE utf8mb4_bin),
            ',"source":{"data":',
            coalesce(
              (
                SELECT concat_ws(
                  '',
                  '{"id":',
                  t5.id,
                  ',"attributes":{"name":',
                  coalesce(json_quote(t5.`name`), 'null' COLLATE utf8mb4_bin),
                  '}}'
                )
                FROM `components_shop_quotes_source_links` t4
                JOIN `authors` t5 ON t5.id = t4.`author_id`
                WHERE t4.`quote_id` = t3.id
                ORDER BY t4.id
                LIMIT 1
              ),
              'null'
            ),
            '}}'
          )
          FROM `components_shop_quotes` t3
          WHERE t3.id = t2.`component_id`
        ) END
        ORDER BY t2.`order` IS NOT NULL,
        t2.`order`,
        t2.id SEPARATOR ','
      )
      FROM `books_components` t2
      WHERE t2.`entity_id` = t1.id
      AND t2.`component_type` IN ('shop.quote')
      AND t2.field = 'extras'
    ),
    ']},"meta":{"availableLocales":[',
    (
      SELECT group_concat(
        coalesce(json_quote(t8.`locale`), 'null' COLLATE utf8mb4_bin)
        ORDER BY t7.`book_order` IS NOT NULL,
        t7.`book_order`,
        t7.id SEPARATOR ','
      )
      FROM `books_localizations_links` t7
      JOIN `books` t8 ON t8.id = t7.`inv_book_id`
      WHERE t7.`book_id` = t1.id
    ),
    ']}}'
  ) AS BINARY
)
FROM `books` t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 4
