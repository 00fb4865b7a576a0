WITH t2 AS MATERIALIZED (
  SELECT t3.id
  FROM "books" t3
  WHERE (
    (
      CASE
      WHEN length(?1) < 12000
      THEN t3."title" LIKE '%' || replace(
        replace(replace(?1, '\', '\\'), '%', '\%'),
        '_',
        '\_'
      ) || '%' ESCAPE '\'
      ELSE instr(lower(t3."title"), lower(?1)) > 0 END
      AND t3."published_at" IS NOT NULL
    )
    AND t3."locale" = ?2
  )
) SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (SELECT count(*)
FROM t2)
FROM (
  SELECT concat(
    '{"id":',
    t5.id,
    ',"attributes":{"title":',
    json_quote(t5."title"),
    '},"meta":{"availableLocales":[',
    (
      SELECT group_concat(t8.json, ',')
      FROM (
        SELECT json_quote(t7."locale") AS json
        FROM "books_localizations_links" t6
        JOIN "books" t7 ON t7.id = t6."inv_book_id"
        WHERE t6."book_id" = t5.id
        AND t7."published_at" IS NOT NULL
        ORDER BY t6."book_order",
        t6.id
      ) t8
    ),
    ']}}'
  ) AS json
  FROM (SELECT * FROM t2 ORDER BY id LIMIT ?3) t4
  JOIN "books" t5 ON t5.id = t4.id
  ORDER BY t4.id
  LIMIT ?3
) t1;
-- 1: '100%'
-- 2: 'en'
-- 3: 25
