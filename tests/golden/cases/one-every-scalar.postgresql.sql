SELECT convert_to(
  CASE
  WHEN octet_length(a.json) > 33554432
  THEN ('octavo: too large ' || octet_length(a.json))::int8::text
  ELSE a.json END,
  'UTF8'
)
FROM (
  SELECT concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(to_json(t1."title")::text, 'null'),
    ',"slug":',
    coalesce(to_json(t1."slug")::text, 'null'),
    ',"blurb":',
    coalesce(to_json(t1."blurb")::text, 'null'),
    ',"body":',
    coalesce(to_json(t1."body")::text, 'null'),
    ',"language":',
    coalesce(to_json(t1."language")::text, 'null'),
    ',"contact":',
    coalesce(to_json(t1."contact")::text, 'null'),
    ',"pages":',
    coalesce(t1."pages"::text, 'null'),
    ',"isbn":',
    coalesce('"' || t1."isbn" || '"', 'null'),
    ',"weight":',
    CASE WHEN t1."weight" - t1."weight" = 0 THEN t1."weight"::float8::text ELSE 'null' END,
    ',"price":',
    CASE WHEN t1."price" - t1."price" = 0 THEN t1."price"::float8::text ELSE 'null' END,
    ',"inStock":',
    coalesce(t1."in_stock"::text, 'null'),
    ',"releaseDate":',
    coalesce(to_json(t1."release_date")::text, 'null'),
    ',"opensAt":',
    coalesce(to_json(t1."opens_at")::text, 'null'),
    ',"reviewedAt":',
    coalesce('"' || to_char(t1."reviewed_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"importedAt":',
    coalesce('"' || (extract(epoch from t1."imported_at") * 1000)::int8 || '"', 'null'),
    ',"extra":',
    coalesce(t1."extra"::text, 'null'),
    ',"content":',
    coalesce(t1."content"::text, 'null'),
    ',"keywords":',
    coalesce(t1."keywords"::text, 'null'),
    ',"ISBN13Code":',
    coalesce(to_json(t1."isbn_13_code")::text, 'null'),
    ',"weird-name":',
    coalesce(to_json(t1."weird_name")::text, 'null'),
    ',"Größe":',
    coalesce(t1."grosse"::text, 'null'),
    ',"order":',
    coalesce(t1."order"::text, 'null'),
    ',"select":',
    coalesce(to_json(t1."select")::text, 'null'),
    ',"createdAt":',
    coalesce('"' || to_char(t1."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"updatedAt":',
    coalesce('"' || to_char(t1."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"publishedAt":',
    coalesce('"' || to_char(t1."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"locale":',
    coalesce(to_json(t1."locale")::text, 'null'),
    '},"meta":{"availableLocales":[',
    (
      SELECT string_agg(t4.json, ',')
      FROM (
        SELECT coalesce(to_json(t3."locale")::text, 'null') AS json
        FROM "books_localizations_links" t2
        JOIN "books" t3 ON t3.id = t2."inv_book_id"
        WHERE t2."book_id" = t1.id
        ORDER BY t2."book_order",
        t2.id
      ) t4
    ),
    ']}}'
  ) AS json
  FROM "books" t1
  WHERE t1.id = $1::int8
  ORDER BY t1.id
  LIMIT 1
) a;
-- 1: 3
