SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"headline":',
    json_quote(t1."headline"),
    ',"createdAt":',
    coalesce(
      '"' || replace(datetime(t1."created_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"updatedAt":',
    coalesce(
      '"' || replace(datetime(t1."updated_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"publishedAt":',
    coalesce(
      '"' || replace(datetime(t1."published_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"locale":',
    json_quote(t1."locale"),
    ',"localizations":{"data":[',
    (
      SELECT group_concat(t4.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"attributes":{"locale":',
          json_quote(t3."locale"),
          '}}'
        ) AS json
        FROM "front_pages_localizations_links" t2
        JOIN "front_pages" t3 ON t3.id = t2."inv_front_page_id"
        WHERE t2."front_page_id" = t1.id
        AND t3."published_at" IS NOT NULL
        ORDER BY t2."front_page_order",
        t2.id
      ) t4
    ),
    ']}},"meta":{"availableLocales":[',
    (
      SELECT group_concat(t7.json, ',')
      FROM (
        SELECT json_quote(t6."locale") AS json
        FROM "front_pages_localizations_links" t5
        JOIN "front_pages" t6 ON t6.id = t5."inv_front_page_id"
        WHERE t5."front_page_id" = t1.id
        AND t6."published_at" IS NOT NULL
        ORDER BY t5."front_page_order",
        t5.id
      ) t7
    ),
    ']}}'
  ) AS BLOB
)
FROM "front_pages" t1
WHERE (t1."published_at" IS NOT NULL AND t1."locale" = ?1)
ORDER BY t1.id
LIMIT 1;
-- 1: 'fr'
