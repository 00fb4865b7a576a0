SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (
  SELECT count(*)
  FROM "books" t6
  WHERE (
    (
      (
        t6."pages" BETWEEN ?1
        AND ?2
        AND t6."release_date" > ?3
        AND t6."reviewed_at" < ?4
        AND t6."in_stock" = ?5
      )
      AND t6."published_at" IS NOT NULL
    )
    AND t6."locale" = ?6
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
      (
        t2."pages" BETWEEN ?1
        AND ?2
        AND t2."release_date" > ?3
        AND t2."reviewed_at" < ?4
        AND t2."in_stock" = ?5
      )
      AND t2."published_at" IS NOT NULL
    )
    AND t2."locale" = ?6
  )
  ORDER BY t2.id
  LIMIT ?7
) t1;
-- 1: 50
-- 2: 100
-- 3: '2005-01-01'
-- 4: 1598918400000
-- 5: True
-- 6: 'en'
-- 7: 25
