SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"headline":',
    coalesce(json_quote(t1.`headline`), 'null' COLLATE utf8mb4_bin),
    ',"createdAt":',
    coalesce(concat(left(date_format(t1.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'), 'null'),
    ',"updatedAt":',
    coalesce(concat(left(date_format(t1.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'), 'null'),
    ',"publishedAt":',
    coalesce(
      concat(left(date_format(t1.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
      'null'
    ),
    ',"locale":',
    coalesce(json_quote(t1.`locale`), 'null' COLLATE utf8mb4_bin),
    ',"localizations":{"data":[',
    (
      SELECT group_concat(
        concat_ws(
          '',
          '{"id":',
          t3.id,
          ',"attributes":{"locale":',
          coalesce(json_quote(t3.`locale`), 'null' COLLATE utf8mb4_bin),
          '}}'
        )
        ORDER BY t2.`front_page_order` IS NOT NULL,
        t2.`front_page_order`,
        t2.id SEPARATOR ','
      )
      FROM `front_pages_localizations_links` t2
      JOIN `front_pages` t3 ON t3.id = t2.`inv_front_page_id`
      WHERE t2.`front_page_id` = t1.id
      AND t3.`published_at` IS NOT NULL
    ),
    ']}},"meta":{"availableLocales":[',
    (
      SELECT group_concat(
        coalesce(json_quote(t6.`locale`), 'null' COLLATE utf8mb4_bin)
        ORDER BY t5.`front_page_order` IS NOT NULL,
        t5.`front_page_order`,
        t5.id SEPARATOR ','
      )
      FROM `front_pages_localizations_links` t5
      JOIN `front_pages` t6 ON t6.id = t5.`inv_front_page_id`
      WHERE t5.`front_page_id` = t1.id
      AND t6.`published_at` IS NOT NULL
    ),
    ']}}'
  ) AS BINARY
)
FROM `front_pages` t1
WHERE (t1.`published_at` IS NOT NULL AND t1.`locale` = ?1)
ORDER BY t1.id
LIMIT 1;
-- 1: 'fr'
