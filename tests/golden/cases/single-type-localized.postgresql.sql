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
    ',"attributes":{"headline":',
    coalesce(to_json(t1."headline")::text, 'null'),
    ',"createdAt":',
    coalesce('"' || to_char(t1."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"updatedAt":',
    coalesce('"' || to_char(t1."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"publishedAt":',
    coalesce('"' || to_char(t1."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"locale":',
    coalesce(to_json(t1."locale")::text, 'null'),
    ',"localizations":{"data":[',
    (
      SELECT string_agg(t4.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"attributes":{"locale":',
          coalesce(to_json(t3."locale")::text, 'null'),
          '}}'
        ) AS json
        FROM "front_pages_localizations_links" t2
        JOIN "front_pages" t3 ON t3.id = t2."inv_front_page_id"
        WHERE t2."front_page_id" = t1.id
        AND t3."published_at" IS NOT NULL
        ORDER BY t2."front_page_order",
        t2.id
      ) t4
    ),
    ']}},"meta":{"availableLocales":[',
    (
      SELECT string_agg(t7.json, ',')
      FROM (
        SELECT coalesce(to_json(t6."locale")::text, 'null') AS json
        FROM "front_pages_localizations_links" t5
        JOIN "front_pages" t6 ON t6.id = t5."inv_front_page_id"
        WHERE t5."front_page_id" = t1.id
        AND t6."published_at" IS NOT NULL
        ORDER BY t5."front_page_order",
        t5.id
      ) t7
    ),
    ']}}'
  ) AS json
  FROM "front_pages" t1
  WHERE (t1."published_at" IS NOT NULL AND t1."locale" = $1::text)
  ORDER BY t1.id
  LIMIT 1
) a;
-- 1: 'fr'
