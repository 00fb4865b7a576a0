SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT count(*)
  FROM "books" t12
  WHERE (
    (
      (
        t12.id IN (
          SELECT t13.entity_id
          FROM "books_components" t13
          JOIN "components_shop_chapters" t14 ON t14.id = t13.component_id
          WHERE t13.field = 'chapters'
          AND t13.component_type = 'shop.chapter'
          AND t14.id IN (
            SELECT t15.entity_id
            FROM "components_shop_chapters_components" t15
            JOIN "components_shop_footnotes" t16 ON t16.id = t15.component_id
            WHERE t15.field = 'footnote'
            AND t15.component_type = 'shop.footnote'
            AND starts_with(t16."text", $1::text)
          )
        )
        AND t12.id IN (
          SELECT t17.related_id
          FROM files_related_morphs t17
          JOIN files t18 ON t18.id = t17.file_id
          WHERE t17.related_type = 'api::book.book'
          AND t17.field = 'cover'
          AND t18."name" = $2::text
        )
      )
      AND t12."published_at" IS NOT NULL
    )
    AND t12."locale" = $3::text
  )
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"title":',
      coalesce(to_json(t2."title")::text, 'null'),
      '},"meta":{"availableLocales":',
      concat(
        '[',
        (
          SELECT string_agg(t5.json, ',')
          FROM (
            SELECT coalesce(to_json(t4."locale")::text, 'null') AS json
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
      (
        (
          t2.id IN (
            SELECT t6.entity_id
            FROM "books_components" t6
            JOIN "components_shop_chapters" t7 ON t7.id = t6.component_id
            WHERE t6.field = 'chapters'
            AND t6.component_type = 'shop.chapter'
            AND t7.id IN (
              SELECT t8.entity_id
              FROM "components_shop_chapters_components" t8
              JOIN "components_shop_footnotes" t9 ON t9.id = t8.component_id
              WHERE t8.field = 'footnote'
              AND t8.component_type = 'shop.footnote'
              AND starts_with(t9."text", $1::text)
            )
          )
          AND t2.id IN (
            SELECT t10.related_id
            FROM files_related_morphs t10
            JOIN files t11 ON t11.id = t10.file_id
            WHERE t10.related_type = 'api::book.book'
            AND t10.field = 'cover'
            AND t11."name" = $2::text
          )
        )
        AND t2."published_at" IS NOT NULL
      )
      AND t2."locale" = $3::text
    )
    ORDER BY t2.id
    LIMIT $4::int8
  ) t1
) a;
-- 1: 'footnote 1'
-- 2: 'picture 1.png'
-- 3: 'en'
-- 4: 25
