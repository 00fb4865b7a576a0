SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(json_quote(t1.`title`), 'null' COLLATE utf8mb4_bin),
    ',"details":',
    coalesce(
      (
        SELECT concat_ws(
          '',
          '{"id":',
          t3.id,
          ',"binding":',
          coalesce(json_quote(t3.`binding`), 'null' COLLATE utf8mb4_bin),
          ',"weight":',
          coalesce(t3.`weight`, 'null'),
          ',"notes":[',
          (
            SELECT group_concat(
              concat_ws(
                '',
                '{"id":',
                t5.id,
                ',"text":',
                coalesce(json_quote(t5.`text`), 'null' COLLATE utf8mb4_bin),
                ',"order":',
                coalesce(t5.`order`, 'null'),
                '}'
              )
              ORDER BY t4.`order` IS NOT NULL,
              t4.`order`,
              t4.id SEPARATOR ','
            )
            FROM `components_shop_details_components` t4
            JOIN `components_shop_footnotes` t5 ON t5.id = t4.component_id
            WHERE t4.entity_id = t3.id
            AND t4.field = 'notes'
            AND t4.component_type = 'shop.footnote'
          ),
          ']}'
        )
        FROM `books_components` t2
        JOIN `components_shop_details` t3 ON t3.id = t2.component_id
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
      SELECT group_concat(
        concat_ws(
          '',
          '{"id":',
          t8.id,
          ',"title":',
          coalesce(json_quote(t8.`title`), 'null' COLLATE utf8mb4_bin),
          ',"pages":',
          coalesce(t8.`pages`, 'null'),
          ',"footnote":',
          coalesce(
            (
              SELECT concat_ws(
                '',
                '{"id":',
                t10.id,
                ',"text":',
                coalesce(json_quote(t10.`text`), 'null' COLLATE utf8mb4_bin),
                ',"order":',
                coalesce(t10.`order`, 'null'),
                '}'
              )
              FROM `components_shop_chapters_components` t9
              JOIN `components_shop_footnotes` t10 ON t10.id = t9.component_id
              WHERE t9.entity_id = t8.id
              AND t9.field = 'footnote'
              AND t9.component_type = 'shop.footnote'
              ORDER BY t9.id
              LIMIT 1
            ),
            'null'
          ),
          '}'
        )
        ORDER BY t7.`order` IS NOT NULL,
        t7.`order`,
        t7.id SEPARATOR ','
      )
      FROM `books_components` t7
      JOIN `components_shop_chapters` t8 ON t8.id = t7.component_id
      WHERE t7.entity_id = t1.id
      AND t7.field = 'chapters'
      AND t7.component_type = 'shop.chapter'
    ),
    ']},"meta":{"availableLocales":[',
    (
      SELECT group_concat(
        coalesce(json_quote(t13.`locale`), 'null' COLLATE utf8mb4_bin)
        ORDER BY t12.`book_order` IS NOT NULL,
        t12.`book_order`,
        t12.id SEPARATOR ','
      )
      FROM `books_localizations_links` t12
      JOIN `books` t13 ON t13.id = t12.`inv_book_id`
      WHERE t12.`book_id` = t1.id
    ),
    ']}}'
  ) AS BINARY
)
FROM `books` t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 7
