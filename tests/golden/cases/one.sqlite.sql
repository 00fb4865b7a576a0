SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    json_quote(t1."title"),
    '},"meta":{"availableLocales":[',
    (
      SELECT group_concat(t4.json, ',')
      FROM (
        SELECT json_quote(t3."locale") AS json
        FROM "books_localizations_links" t2
        JOIN "books" t3 ON t3.id = t2."inv_book_id"
        WHERE t2."book_id" = t1.id
        ORDER BY t2."book_order",
        t2.id
      ) t4
    ),
    ']}}'
  ) AS BLOB
)
FROM "books" t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 7
