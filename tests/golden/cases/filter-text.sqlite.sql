SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (
  SELECT count(*)
  FROM "books" t6
  WHERE (
    (instr(lower(t6."title"), lower(?1)) > 0 AND t6."published_at" IS NOT NULL) AND t6."locale" = ?2
  )
)
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"title":',
    json_quote(t2."title"),
    '},"meta":{"availableLocales":',
    concat(
      '[',
      (
        SELECT group_concat(t5.json, ',')
        FROM (
          SELECT json_quote(t4."locale") AS json
          FROM "books_localizations_links" t3
          JOIN "books" t4 ON t4.id = t3."inv_book_id"
          WHERE t3."book_id" = t2.id
          AND t4."published_at" IS NOT NULL
          ORDER BY t3."book_order",
          t3.id
        ) t5
      ),
      ']'
    ),
    '}}'
  ) AS json
  FROM "books" t2
  WHERE (
    (instr(lower(t2."title"), lower(?1)) > 0 AND t2."published_at" IS NOT NULL) AND t2."locale" = ?2
  )
  ORDER BY t2.id
  LIMIT ?3
) t1;
-- 1: '100%'
-- 2: 'en'
-- 3: 25
