SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (
  SELECT count(*)
  FROM "books" t6
  WHERE (
    (
      ((t6."pages" < ?1 OR NOT (t6."pages" < ?2)) AND t6."slug" IS NOT NULL)
      AND t6."published_at" IS NOT NULL
    )
    AND t6."locale" = ?3
  )
)
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"pages":',
    json_quote(t2."pages"),
    '},"meta":{"availableLocales":[',
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
    ']}}'
  ) AS json
  FROM "books" t2
  WHERE (
    (
      ((t2."pages" < ?1 OR NOT (t2."pages" < ?2)) AND t2."slug" IS NOT NULL)
      AND t2."published_at" IS NOT NULL
    )
    AND t2."locale" = ?3
  )
  ORDER BY t2.id
  LIMIT ?4
) t1;
-- 1: 30
-- 2: 190
-- 3: 'en'
-- 4: 25
