SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT CASE
  WHEN (SELECT max(id) FROM "books") < 1000
  THEN (
    SELECT count(*) FROM "books" t8 WHERE (t8."published_at" IS NOT NULL AND t8."locale" = $1::text)
  )
  ELSE (
    SELECT CASE
    WHEN min(k.known) = 1
    AND (
      SELECT count(*)
      FROM pg_catalog.pg_trigger g
      WHERE g.tgrelid = '"books"'::regclass
      AND g.tgname IN (
        'octavo_totals_insert_both',
        'octavo_totals_update_both',
        'octavo_totals_delete_both',
        'octavo_totals_truncate_both'
      )
      AND g.tgenabled = 'A'
    ) = 4
    THEN coalesce(sum(k.total) FILTER (WHERE k.published AND k.locale IN ($1::text)), 0)::int8
    ELSE (
      SELECT count(*)
      FROM "books" t8
      WHERE (t8."published_at" IS NOT NULL AND t8."locale" = $1::text)
    ) END
    FROM octavo_totals k
    WHERE k.relation = '"books"'::regclass
  ) END
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"title":',
      coalesce(to_json(t2."title")::text, 'null'),
      ',"genres":{"data":{"attributes":{"count":',
      (
        SELECT count(*)
        FROM "books_genres_links" t3
        JOIN "genres" t4 ON t4.id = t3."genre_id"
        WHERE t3."book_id" = t2.id
        AND t4."published_at" IS NOT NULL
      ),
      '}}}},"meta":{"availableLocales":[',
      (
        SELECT string_agg(t7.json, ',')
        FROM (
          SELECT coalesce(to_json(t6."locale")::text, 'null') AS json
          FROM "books_localizations_links" t5
          JOIN "books" t6 ON t6.id = t5."inv_book_id"
          WHERE t5."book_id" = t2.id
          AND t6."published_at" IS NOT NULL
          ORDER BY t5."book_order",
          t5.id
        ) t7
      ),
      ']}}'
    ) AS json
    FROM "books" t2
    WHERE (t2."published_at" IS NOT NULL AND t2."locale" = $1::text)
    ORDER BY t2.id
    LIMIT $2::int8
  ) t1
) a;
-- 1: 'en'
-- 2: 2
