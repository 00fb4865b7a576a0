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
    ',"vaults":{"data":[',
    (
      SELECT string_agg(t4.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"attributes":{"code":',
          coalesce(to_json(t3."code")::text, 'null'),
          ',"createdAt":',
          coalesce('"' || to_char(t3."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
          ',"updatedAt":',
          coalesce('"' || to_char(t3."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
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
          coalesce(to_json(t6."username")::text, 'null'),
          ',"email":',
          coalesce(to_json(t6."email")::text, 'null'),
          ',"provider":',
          coalesce(to_json(t6."provider")::text, 'null'),
          ',"confirmed":',
          coalesce(t6."confirmed"::text, 'null'),
          ',"blocked":',
          coalesce(t6."blocked"::text, 'null'),
          ',"nickname":',
          coalesce(to_json(t6."nickname")::text, 'null'),
          ',"createdAt":',
          coalesce('"' || to_char(t6."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
          ',"updatedAt":',
          coalesce('"' || to_char(t6."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
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
-- 1: 5
