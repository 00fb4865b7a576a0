SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    json_quote(t1."title"),
    ',"slug":',
    json_quote(t1."slug"),
    ',"blurb":',
    json_quote(t1."blurb"),
    ',"body":',
    json_quote(t1."body"),
    ',"language":',
    json_quote(t1."language"),
    ',"contact":',
    json_quote(t1."contact"),
    ',"pages":',
    json_quote(t1."pages"),
    ',"isbn":',
    json_quote(CAST(t1."isbn" AS TEXT)),
    ',"weight":',
    CASE
    WHEN t1."weight" = CAST(t1."weight" AS INTEGER)
    THEN CAST(CAST(t1."weight" AS INTEGER) AS TEXT)
    WHEN t1."weight" - t1."weight" = 0
    THEN json_quote(t1."weight")
    ELSE 'null' END,
    ',"price":',
    CASE
    WHEN t1."price" = CAST(t1."price" AS INTEGER)
    THEN CAST(CAST(t1."price" AS INTEGER) AS TEXT)
    WHEN t1."price" - t1."price" = 0
    THEN json_quote(t1."price")
    ELSE 'null' END,
    ',"inStock":',
    CASE t1."in_stock" WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
    ',"releaseDate":',
    json_quote(t1."release_date"),
    ',"opensAt":',
    json_quote(t1."opens_at"),
    ',"reviewedAt":',
    coalesce(
      '"' || replace(datetime(t1."reviewed_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"importedAt":',
    json_quote(CAST(t1."imported_at" AS TEXT)),
    ',"extra":',
    CASE
    WHEN t1."extra" IS NULL
    THEN 'null'
    ELSE CASE
    WHEN json_valid(t1."extra")
    THEN t1."extra"
    ELSE json_quote(t1."extra") END END,
    ',"content":',
    CASE
    WHEN t1."content" IS NULL
    THEN 'null'
    ELSE CASE
    WHEN json_valid(t1."content")
    THEN t1."content"
    ELSE json_quote(t1."content") END END,
    ',"keywords":',
    CASE
    WHEN t1."keywords" IS NULL
    THEN 'null'
    ELSE CASE
    WHEN json_valid(t1."keywords")
    THEN t1."keywords"
    ELSE json_quote(t1."keywords") END END,
    ',"ISBN13Code":',
    json_quote(t1."isbn_13_code"),
    ',"weird-name":',
    json_quote(t1."weird_name"),
    ',"Größe":',
    json_quote(t1."grosse"),
    ',"order":',
    json_quote(t1."order"),
    ',"select":',
    json_quote(t1."select"),
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
-- 1: 3
