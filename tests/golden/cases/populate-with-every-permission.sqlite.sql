SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    json_quote(t1."title"),
    ',"vaults":{"data":[',
    (
      SELECT group_concat(t4.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"attributes":{"code":',
          json_quote(t3."code"),
          ',"createdAt":',
          coalesce(
            '"' || replace(
              datetime(t3."created_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            '"' || replace(
              datetime(t3."updated_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          '}}'
        ) AS json
        FROM "books_vaults_links" t2
        JOIN "vaults" t3 ON t3.id = t2."vault_id"
        WHERE t2."book_id" = t1.id
        ORDER BY t2."vault_order",
        t2.id
      ) t4
    ),
    ']},"editor":{"data":',
    coalesce(
      (
        SELECT concat(
          '{"id":',
          t6.id,
          ',"attributes":{"username":',
          json_quote(t6."username"),
          ',"email":',
          json_quote(t6."email"),
          ',"provider":',
          json_quote(t6."provider"),
          ',"confirmed":',
          CASE t6."confirmed" WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
          ',"blocked":',
          CASE t6."blocked" WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
          ',"nickname":',
          json_quote(t6."nickname"),
          ',"createdAt":',
          coalesce(
            '"' || replace(
              datetime(t6."created_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            '"' || replace(
              datetime(t6."updated_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          '}}'
        )
        FROM "books_editor_links" t5
        JOIN "up_users" t6 ON t6.id = t5."user_id"
        WHERE t5."book_id" = t1.id
        ORDER BY t5.id
        LIMIT 1
      ),
      'null'
    ),
    '}},"meta":{"availableLocales":[',
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
-- 1: 5
