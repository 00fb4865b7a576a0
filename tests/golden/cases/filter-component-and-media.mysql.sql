SELECT CAST(concat_ws('', '[', coalesce(group_concat(concat_ws('', '{"id":', t11.id, ',"attributes":{"title":', coalesce(json_quote(t11.`title`), 'null' COLLATE utf8mb4_bin), '},"meta":{"availableLocales":[', (SELECT group_concat(coalesce(json_quote(t13.`locale`), 'null' COLLATE utf8mb4_bin) ORDER BY t12.`book_order` IS NOT NULL, t12.`book_order`, t12.id SEPARATOR ',') FROM `books_localizations_links` t12 JOIN `books` t13 ON t13.id = t12.`inv_book_id` WHERE t12.`book_id` = t11.id AND t13.`published_at` IS NOT NULL), ']}}') ORDER BY t4.id SEPARATOR ',' LIMIT ?4), ''), ']') AS BINARY), (
  SELECT count(*)
  FROM `books` t3
  WHERE (
    (
      (
        t3.id IN (
          SELECT t5.entity_id
          FROM `books_components` t5
          JOIN `components_shop_chapters` t6 ON t6.id = t5.component_id
          WHERE t5.field = 'chapters'
          AND t5.component_type = 'shop.chapter'
          AND t6.id IN (
            SELECT t7.entity_id
            FROM `components_shop_chapters_components` t7
            JOIN `components_shop_footnotes` t8 ON t8.id = t7.component_id
            WHERE t7.field = 'footnote'
            AND t7.component_type = 'shop.footnote'
            AND t8.`text` LIKE concat(
              replace(replace(replace(?1, '|', '||'), '%', '|%'), '_', '|_'),
              '%'
            ) ESCAPE '|'
          )
        )
        AND t3.id IN (
          SELECT t9.related_id
          FROM files_related_morphs t9
          JOIN files t10 ON t10.id = t9.file_id
          WHERE t9.related_type = 'api::book.book'
          AND t9.field = 'cover'
          AND t10.`name` = ?2
        )
      )
      AND t3.`published_at` IS NOT NULL
    )
    AND t3.`locale` = ?3
  )
)
FROM (
  SELECT t3.id
  FROM `books` t3
  WHERE (
    (
      (
        t3.id IN (
          SELECT t5.entity_id
          FROM `books_components` t5
          JOIN `components_shop_chapters` t6 ON t6.id = t5.component_id
          WHERE t5.field = 'chapters'
          AND t5.component_type = 'shop.chapter'
          AND t6.id IN (
            SELECT t7.entity_id
            FROM `components_shop_chapters_components` t7
            JOIN `components_shop_footnotes` t8 ON t8.id = t7.component_id
            WHERE t7.field = 'footnote'
            AND t7.component_type = 'shop.footnote'
            AND t8.`text` LIKE concat(
              replace(replace(replace(?1, '|', '||'), '%', '|%'), '_', '|_'),
              '%'
            ) ESCAPE '|'
          )
        )
        AND t3.id IN (
          SELECT t9.related_id
          FROM files_related_morphs t9
          JOIN files t10 ON t10.id = t9.file_id
          WHERE t9.related_type = 'api::book.book'
          AND t9.field = 'cover'
          AND t10.`name` = ?2
        )
      )
      AND t3.`published_at` IS NOT NULL
    )
    AND t3.`locale` = ?3
  )
  ORDER BY id
  LIMIT ?4
) t4
JOIN `books` t11 ON t11.id = t4.id;
-- 1: 'footnote 1'
-- 2: 'picture 1.png'
-- 3: 'en'
-- 4: 25
