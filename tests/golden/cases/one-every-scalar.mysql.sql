SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(json_quote(t1.`title`), 'null' COLLATE utf8mb4_bin),
    ',"slug":',
    coalesce(json_quote(t1.`slug`), 'null' COLLATE utf8mb4_bin),
    ',"blurb":',
    coalesce(json_quote(t1.`blurb`), 'null' COLLATE utf8mb4_bin),
    ',"body":',
    coalesce(json_quote(t1.`body`), 'null' COLLATE utf8mb4_bin),
    ',"language":',
    coalesce(json_quote(t1.`language`), 'null' COLLATE utf8mb4_bin),
    ',"contact":',
    coalesce(json_quote(t1.`contact`), 'null' COLLATE utf8mb4_bin),
    ',"pages":',
    coalesce(t1.`pages`, 'null'),
    ',"isbn":',
    coalesce(concat('"', t1.`isbn`, '"'), 'null'),
    ',"weight":',
    coalesce(t1.`weight`, 'null'),
    ',"price":',
    coalesce(t1.`price` + 0e0, 'null'),
    ',"inStock":',
    CASE t1.`in_stock` WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
    ',"releaseDate":',
    coalesce(concat('"', t1.`release_date`, '"'), 'null'),
    ',"opensAt":',
    coalesce(concat('"', t1.`opens_at`, '"'), 'null'),
    ',"reviewedAt":',
    coalesce(
      concat(left(date_format(t1.`reviewed_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
      'null'
    ),
    ',"importedAt":',
    coalesce(
      concat(
        '"',
        CAST(
          floor(
            timestampdiff(MICROSECOND, '1970-01-01 00:00:00', t1.`imported_at`) / 1000
          ) AS SIGNED
        ),
        '"'
      ),
      'null'
    ),
    ',"extra":',
    coalesce(t1.`extra`, 'null'),
    ',"content":',
    coalesce(t1.`content`, 'null'),
    ',"keywords":',
    coalesce(t1.`keywords`, 'null'),
    ',"ISBN13Code":',
    coalesce(json_quote(t1.`isbn_13_code`), 'null' COLLATE utf8mb4_bin),
    ',"weird-name":',
    coalesce(json_quote(t1.`weird_name`), 'null' COLLATE utf8mb4_bin),
    ',"Größe":',
    coalesce(t1.`grosse`, 'null'),
    ',"order":',
    coalesce(t1.`order`, 'null'),
    ',"select":',
    coalesce(json_quote(t1.`select`), 'null' COLLATE utf8mb4_bin),
    ',"createdAt":',
    coalesce(concat(left(date_format(t1.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'), 'null'),
    ',"updatedAt":',
    coalesce(concat(left(date_format(t1.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'), 'null'),
    ',"publishedAt":',
    coalesce(
      concat(left(date_format(t1.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
      'null'
    ),
    ',"locale":',
    coalesce(json_quote(t1.`locale`), 'null' COLLATE utf8mb4_bin),
    '},"meta":{"availableLocales":[',
    (
      SELECT group_concat(
        coalesce(json_quote(t3.`locale`), 'null' COLLATE utf8mb4_bin)
        ORDER BY t2.`book_order` IS NOT NULL,
        t2.`book_order`,
        t2.id SEPARATOR ','
      )
      FROM `books_localizations_links` t2
      JOIN `books` t3 ON t3.id = t2.`inv_book_id`
      WHERE t2.`book_id` = t1.id
    ),
    ']}}'
  ) AS BINARY
)
FROM `books` t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 3
