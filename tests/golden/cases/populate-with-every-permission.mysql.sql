SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(json_quote(t1.`title`), 'null' COLLATE utf8mb4_bin),
    ',"vaults":{"data":[',
    (
      SELECT group_concat(
        concat_ws(
          '',
          '{"id":',
          t3.id,
          ',"attributes":{"code":',
          coalesce(json_quote(t3.`code`), 'null' COLLATE utf8mb4_bin),
          ',"createdAt":',
          coalesce(
            concat(left(date_format(t3.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            concat(left(date_format(t3.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
            'null'
          ),
          '}}'
        )
        ORDER BY t2.`vault_order` IS NOT NULL,
        t2.`vault_order`,
        t2.id SEPARATOR ','
      )
      FROM `books_vaults_links` t2
      JOIN `vaults` t3 ON t3.id = t2.`vault_id`
      WHERE t2.`book_id` = t1.id
    ),
    ']},"editor":{"data":',
    coalesce(
      (
        SELECT concat_ws(
          '',
          '{"id":',
          t6.id,
          ',"attributes":{"username":',
          coalesce(json_quote(t6.`username`), 'null' COLLATE utf8mb4_bin),
          ',"email":',
          coalesce(json_quote(t6.`email`), 'null' COLLATE utf8mb4_bin),
          ',"provider":',
          coalesce(json_quote(t6.`provider`), 'null' COLLATE utf8mb4_bin),
          ',"confirmed":',
          CASE t6.`confirmed` WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
          ',"blocked":',
          CASE t6.`blocked` WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
          ',"nickname":',
          coalesce(json_quote(t6.`nickname`), 'null' COLLATE utf8mb4_bin),
          ',"createdAt":',
          coalesce(
            concat(left(date_format(t6.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            concat(left(date_format(t6.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
            'null'
          ),
          '}}'
        )
        FROM `books_editor_links` t5
        JOIN `up_users` t6 ON t6.id = t5.`user_id`
        WHERE t5.`book_id` = t1.id
        ORDER BY t5.id
        LIMIT 1
      ),
      'null'
    ),
    '}},"meta":{"availableLocales":[',
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
-- 1: 5
