WITH t2 AS MATERIALIZED (
  SELECT t3.id
  FROM "books" t3
  WHERE (
    (
      (
        t3.id IN (
          SELECT t5.entity_id
          FROM "books_components" t5
          JOIN "components_shop_chapters" t6 ON t6.id = t5.component_id
          WHERE t5.field = 'chapters'
          AND t5.component_type = 'shop.chapter'
          AND t6.id IN (
            SELECT t7.entity_id
            FROM "components_shop_chapters_components" t7
            JOIN "components_shop_footnotes" t8 ON t8.id = t7.component_id
            WHERE t7.field = 'footnote'
            AND t7.component_type = 'shop.footnote'
            AND substr(lower(t8."text"), 1, length(lower(?1))) = lower(?1)
          )
        )
        AND t3.id IN (
          SELECT t9.related_id
          FROM files_related_morphs t9
          JOIN files t10 ON t10.id = t9.file_id
          WHERE t9.related_type = 'api::book.book'
          AND t9.field = 'cover'
          AND t10."name" = ?2
        )
      )
      AND t3."published_at" IS NOT NULL
    )
    AND t3."locale" = ?3
  )
) SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (SELECT count(*)
FROM t2)
FROM (
  SELECT concat(
    '{"id":',
    t11.id,
    ',"attributes":{"title":',
    json_quote(t11."title"),
    '},"meta":{"availableLocales":[',
    (
      SELECT group_concat(t14.json, ',')
      FROM (
        SELECT json_quote(t13."locale") AS json
        FROM "books_localizations_links" t12
        JOIN "books" t13 ON t13.id = t12."inv_book_id"
        WHERE t12."book_id" = t11.id
        AND t13."published_at" IS NOT NULL
        ORDER BY t12."book_order",
        t12.id
      ) t14
    ),
    ']}}'
  ) AS json
  FROM (SELECT * FROM t2 ORDER BY id LIMIT ?4) t4
  JOIN "books" t11 ON t11.id = t4.id
  ORDER BY t4.id
  LIMIT ?4
) t1;
-- 1: 'footnote 1'
-- 2: 'picture 1.png'
-- 3: 'en'
-- 4: 25
