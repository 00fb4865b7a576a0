SELECT convert_to(
  CASE
  WHEN octet_length(a.json) > 33554432
  THEN ('octavo: too large ' || octet_length(a.json))::int8::text
  ELSE a.json END,
  'UTF8'
), (SELECT count(*) FROM "notes" t17 WHERE t17.id IN ($1::int8, $2::int8))
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"text":',
      coalesce(to_json(t2."text")::text, 'null'),
      ',"createdAt":',
      coalesce('"' || to_char(t2."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"updatedAt":',
      coalesce('"' || to_char(t2."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"subject":',
      coalesce(
        CASE t2.target_type
        WHEN 'api::author.author'
        THEN (
          SELECT concat(
            '{"id":',
            t3.id,
            ',"name":',
            coalesce(to_json(t3."name")::text, 'null'),
            ',"born":',
            coalesce(to_json(t3."born")::text, 'null'),
            ',"rating":',
            CASE WHEN t3."rating" - t3."rating" = 0 THEN t3."rating"::float8::text ELSE 'null' END,
            ',"createdAt":',
            coalesce(
              '"' || to_char(t3."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || to_char(t3."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            '}'
          )
          FROM "authors" t3
          WHERE t3.id = t2.target_id
        )
        WHEN 'api::book.book'
        THEN (
          SELECT concat(
            '{"id":',
            t4.id,
            ',"title":',
            coalesce(to_json(t4."title")::text, 'null'),
            ',"slug":',
            coalesce(to_json(t4."slug")::text, 'null'),
            ',"blurb":',
            coalesce(to_json(t4."blurb")::text, 'null'),
            ',"body":',
            coalesce(to_json(t4."body")::text, 'null'),
            ',"language":',
            coalesce(to_json(t4."language")::text, 'null'),
            ',"contact":',
            coalesce(to_json(t4."contact")::text, 'null'),
            ',"pages":',
            coalesce(t4."pages"::text, 'null'),
            ',"isbn":',
            coalesce('"' || t4."isbn" || '"', 'null'),
            ',"weight":',
            CASE WHEN t4."weight" - t4."weight" = 0 THEN t4."weight"::float8::text ELSE 'null' END,
            ',"price":',
            CASE WHEN t4."price" - t4."price" = 0 THEN t4."price"::float8::text ELSE 'null' END,
            ',"inStock":',
            coalesce(t4."in_stock"::text, 'null'),
            ',"releaseDate":',
            coalesce(to_json(t4."release_date")::text, 'null'),
            ',"opensAt":',
            coalesce(to_json(t4."opens_at")::text, 'null'),
            ',"reviewedAt":',
            coalesce(
              '"' || to_char(t4."reviewed_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"importedAt":',
            coalesce('"' || (extract(epoch from t4."imported_at") * 1000)::int8 || '"', 'null'),
            ',"extra":',
            coalesce(t4."extra"::text, 'null'),
            ',"content":',
            coalesce(t4."content"::text, 'null'),
            ',"keywords":',
            coalesce(t4."keywords"::text, 'null'),
            ',"ISBN13Code":',
            coalesce(to_json(t4."isbn_13_code")::text, 'null'),
            ',"weird-name":',
            coalesce(to_json(t4."weird_name")::text, 'null'),
            ',"Größe":',
            coalesce(t4."grosse"::text, 'null'),
            ',"order":',
            coalesce(t4."order"::text, 'null'),
            ',"select":',
            coalesce(to_json(t4."select")::text, 'null'),
            ',"createdAt":',
            coalesce(
              '"' || to_char(t4."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || to_char(t4."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"publishedAt":',
            coalesce(
              '"' || to_char(t4."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"locale":',
            coalesce(to_json(t4."locale")::text, 'null'),
            '}'
          )
          FROM "books" t4
          WHERE t4.id = t2.target_id
          AND t4."published_at" IS NOT NULL
        )
        WHEN 'api::front-page.front-page'
        THEN (
          SELECT concat(
            '{"id":',
            t5.id,
            ',"headline":',
            coalesce(to_json(t5."headline")::text, 'null'),
            ',"createdAt":',
            coalesce(
              '"' || to_char(t5."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || to_char(t5."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"publishedAt":',
            coalesce(
              '"' || to_char(t5."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"locale":',
            coalesce(to_json(t5."locale")::text, 'null'),
            '}'
          )
          FROM "front_pages" t5
          WHERE t5.id = t2.target_id
          AND t5."published_at" IS NOT NULL
        )
        WHEN 'api::genre.genre'
        THEN (
          SELECT concat(
            '{"id":',
            t6.id,
            ',"name":',
            coalesce(to_json(t6."name")::text, 'null'),
            ',"rank":',
            coalesce(t6."rank"::text, 'null'),
            ',"createdAt":',
            coalesce(
              '"' || to_char(t6."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || to_char(t6."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"publishedAt":',
            coalesce(
              '"' || to_char(t6."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            '}'
          )
          FROM "genres" t6
          WHERE t6.id = t2.target_id
          AND t6."published_at" IS NOT NULL
        )
        WHEN 'api::imprint.imprint'
        THEN (
          SELECT concat(
            '{"id":',
            t7.id,
            ',"lines":',
            coalesce(t7."lines"::text, 'null'),
            ',"createdAt":',
            coalesce(
              '"' || to_char(t7."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || to_char(t7."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            '}'
          )
          FROM "imprints" t7
          WHERE t7.id = t2.target_id
        )
        WHEN 'api::note.note'
        THEN (
          SELECT concat(
            '{"id":',
            t8.id,
            ',"text":',
            coalesce(to_json(t8."text")::text, 'null'),
            ',"createdAt":',
            coalesce(
              '"' || to_char(t8."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || to_char(t8."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
              'null'
            ),
            '}'
          )
          FROM "notes" t8
          WHERE t8.id = t2.target_id
        ) END,
        'null'
      ),
      ',"subjects":' || (
        SELECT '[' || string_agg(t16.json, ',') || ']'
        FROM (
          SELECT CASE t9."subjects_type"
          WHEN 'api::author.author'
          THEN (
            SELECT concat(
              '{"id":',
              t10.id,
              ',"name":',
              coalesce(to_json(t10."name")::text, 'null'),
              ',"born":',
              coalesce(to_json(t10."born")::text, 'null'),
              ',"rating":',
              CASE
              WHEN t10."rating" - t10."rating" = 0
              THEN t10."rating"::float8::text
              ELSE 'null' END,
              ',"createdAt":',
              coalesce(
                '"' || to_char(t10."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"updatedAt":',
              coalesce(
                '"' || to_char(t10."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"__type":"api::author.author"}'
            )
            FROM "authors" t10
            WHERE t10.id = t9."subjects_id"
          )
          WHEN 'api::book.book'
          THEN (
            SELECT concat(
              '{"id":',
              t11.id,
              ',"title":',
              coalesce(to_json(t11."title")::text, 'null'),
              ',"slug":',
              coalesce(to_json(t11."slug")::text, 'null'),
              ',"blurb":',
              coalesce(to_json(t11."blurb")::text, 'null'),
              ',"body":',
              coalesce(to_json(t11."body")::text, 'null'),
              ',"language":',
              coalesce(to_json(t11."language")::text, 'null'),
              ',"contact":',
              coalesce(to_json(t11."contact")::text, 'null'),
              ',"pages":',
              coalesce(t11."pages"::text, 'null'),
              ',"isbn":',
              coalesce('"' || t11."isbn" || '"', 'null'),
              ',"weight":',
              CASE
              WHEN t11."weight" - t11."weight" = 0
              THEN t11."weight"::float8::text
              ELSE 'null' END,
              ',"price":',
              CASE
              WHEN t11."price" - t11."price" = 0
              THEN t11."price"::float8::text
              ELSE 'null' END,
              ',"inStock":',
              coalesce(t11."in_stock"::text, 'null'),
              ',"releaseDate":',
              coalesce(to_json(t11."release_date")::text, 'null'),
              ',"opensAt":',
              coalesce(to_json(t11."opens_at")::text, 'null'),
              ',"reviewedAt":',
              coalesce(
                '"' || to_char(t11."reviewed_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"importedAt":',
              coalesce('"' || (extract(epoch from t11."imported_at") * 1000)::int8 || '"', 'null'),
              ',"extra":',
              coalesce(t11."extra"::text, 'null'),
              ',"content":',
              coalesce(t11."content"::text, 'null'),
              ',"keywords":',
              coalesce(t11."keywords"::text, 'null'),
              ',"ISBN13Code":',
              coalesce(to_json(t11."isbn_13_code")::text, 'null'),
              ',"weird-name":',
              coalesce(to_json(t11."weird_name")::text, 'null'),
              ',"Größe":',
              coalesce(t11."grosse"::text, 'null'),
              ',"order":',
              coalesce(t11."order"::text, 'null'),
              ',"select":',
              coalesce(to_json(t11."select")::text, 'null'),
              ',"createdAt":',
              coalesce(
                '"' || to_char(t11."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"updatedAt":',
              coalesce(
                '"' || to_char(t11."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"publishedAt":',
              coalesce(
                '"' || to_char(t11."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"locale":',
              coalesce(to_json(t11."locale")::text, 'null'),
              ',"__type":"api::book.book"}'
            )
            FROM "books" t11
            WHERE t11.id = t9."subjects_id"
            AND t11."published_at" IS NOT NULL
          )
          WHEN 'api::front-page.front-page'
          THEN (
            SELECT concat(
              '{"id":',
              t12.id,
              ',"headline":',
              coalesce(to_json(t12."headline")::text, 'null'),
              ',"createdAt":',
              coalesce(
                '"' || to_char(t12."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"updatedAt":',
              coalesce(
                '"' || to_char(t12."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"publishedAt":',
              coalesce(
                '"' || to_char(t12."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"locale":',
              coalesce(to_json(t12."locale")::text, 'null'),
              ',"__type":"api::front-page.front-page"}'
            )
            FROM "front_pages" t12
            WHERE t12.id = t9."subjects_id"
            AND t12."published_at" IS NOT NULL
          )
          WHEN 'api::genre.genre'
          THEN (
            SELECT concat(
              '{"id":',
              t13.id,
              ',"name":',
              coalesce(to_json(t13."name")::text, 'null'),
              ',"rank":',
              coalesce(t13."rank"::text, 'null'),
              ',"createdAt":',
              coalesce(
                '"' || to_char(t13."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"updatedAt":',
              coalesce(
                '"' || to_char(t13."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"publishedAt":',
              coalesce(
                '"' || to_char(t13."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"__type":"api::genre.genre"}'
            )
            FROM "genres" t13
            WHERE t13.id = t9."subjects_id"
            AND t13."published_at" IS NOT NULL
          )
          WHEN 'api::imprint.imprint'
          THEN (
            SELECT concat(
              '{"id":',
              t14.id,
              ',"lines":',
              coalesce(t14."lines"::text, 'null'),
              ',"createdAt":',
              coalesce(
                '"' || to_char(t14."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"updatedAt":',
              coalesce(
                '"' || to_char(t14."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"__type":"api::imprint.imprint"}'
            )
            FROM "imprints" t14
            WHERE t14.id = t9."subjects_id"
          )
          WHEN 'api::note.note'
          THEN (
            SELECT concat(
              '{"id":',
              t15.id,
              ',"text":',
              coalesce(to_json(t15."text")::text, 'null'),
              ',"createdAt":',
              coalesce(
                '"' || to_char(t15."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"updatedAt":',
              coalesce(
                '"' || to_char(t15."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"',
                'null'
              ),
              ',"__type":"api::note.note"}'
            )
            FROM "notes" t15
            WHERE t15.id = t9."subjects_id"
          ) END AS json
          FROM "notes_subjects_morphs" t9
          WHERE t9."note_id" = t2.id
          AND t9."subjects_type" IN (
            'api::author.author',
            'api::book.book',
            'api::front-page.front-page',
            'api::genre.genre',
            'api::imprint.imprint',
            'api::note.note'
          )
          ORDER BY t9."order",
          t9.id
        ) t16
      ),
      '},"meta":{}}'
    ) AS json
    FROM "notes" t2
    WHERE t2.id IN ($1::int8, $2::int8)
    ORDER BY t2.id
    LIMIT $3::int8
  ) t1
) a;
-- 1: 6
-- 2: 4
-- 3: 25
