SELECT CAST(
  concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB
), (SELECT count(*) FROM "notes" t17 WHERE t17.id IN (?1, ?2))
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"text":',
    json_quote(t2."text"),
    ',"createdAt":',
    coalesce(
      '"' || replace(datetime(t2."created_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"updatedAt":',
    coalesce(
      '"' || replace(datetime(t2."updated_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"subject":',
    coalesce(
      CASE t2.target_type
      WHEN 'api::author.author'
      THEN (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"name":',
          json_quote(t3."name"),
          ',"born":',
          json_quote(t3."born"),
          ',"rating":',
          CASE
          WHEN t3."rating" = CAST(t3."rating" AS INTEGER)
          THEN CAST(CAST(t3."rating" AS INTEGER) AS TEXT)
          WHEN t3."rating" - t3."rating" = 0
          THEN json_quote(t3."rating")
          ELSE 'null' END,
          ',"createdAt":',
          coalesce(
            '"' || replace(
              datetime(t3."created_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            '"' || replace(
              datetime(t3."updated_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
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
          json_quote(t4."title"),
          ',"slug":',
          json_quote(t4."slug"),
          ',"blurb":',
          json_quote(t4."blurb"),
          ',"body":',
          json_quote(t4."body"),
          ',"language":',
          json_quote(t4."language"),
          ',"contact":',
          json_quote(t4."contact"),
          ',"pages":',
          json_quote(t4."pages"),
          ',"isbn":',
          json_quote(CAST(t4."isbn" AS TEXT)),
          ',"weight":',
          CASE
          WHEN t4."weight" = CAST(t4."weight" AS INTEGER)
          THEN CAST(CAST(t4."weight" AS INTEGER) AS TEXT)
          WHEN t4."weight" - t4."weight" = 0
          THEN json_quote(t4."weight")
          ELSE 'null' END,
          ',"price":',
          CASE
          WHEN t4."price" = CAST(t4."price" AS INTEGER)
          THEN CAST(CAST(t4."price" AS INTEGER) AS TEXT)
          WHEN t4."price" - t4."price" = 0
          THEN json_quote(t4."price")
          ELSE 'null' END,
          ',"inStock":',
          CASE t4."in_stock" WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
          ',"releaseDate":',
          json_quote(t4."release_date"),
          ',"opensAt":',
          json_quote(t4."opens_at"),
          ',"reviewedAt":',
          coalesce(
            '"' || replace(
              datetime(t4."reviewed_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"importedAt":',
          json_quote(CAST(t4."imported_at" AS TEXT)),
          ',"extra":',
          CASE
          WHEN t4."extra" IS NULL
          THEN 'null'
          ELSE CASE
          WHEN json_valid(t4."extra")
          THEN t4."extra"
          ELSE json_quote(t4."extra") END END,
          ',"content":',
          CASE
          WHEN t4."content" IS NULL
          THEN 'null'
          ELSE CASE
          WHEN json_valid(t4."content")
          THEN t4."content"
          ELSE json_quote(t4."content") END END,
          ',"keywords":',
          CASE
          WHEN t4."keywords" IS NULL
          THEN 'null'
          ELSE CASE
          WHEN json_valid(t4."keywords")
          THEN t4."keywords"
          ELSE json_quote(t4."keywords") END END,
          ',"ISBN13Code":',
          json_quote(t4."isbn_13_code"),
          ',"weird-name":',
          json_quote(t4."weird_name"),
          ',"Größe":',
          json_quote(t4."grosse"),
          ',"order":',
          json_quote(t4."order"),
          ',"select":',
          json_quote(t4."select"),
          ',"createdAt":',
          coalesce(
            '"' || replace(
              datetime(t4."created_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            '"' || replace(
              datetime(t4."updated_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"publishedAt":',
          coalesce(
            '"' || replace(
              datetime(t4."published_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"locale":',
          json_quote(t4."locale"),
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
          json_quote(t5."headline"),
          ',"createdAt":',
          coalesce(
            '"' || replace(
              datetime(t5."created_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            '"' || replace(
              datetime(t5."updated_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"publishedAt":',
          coalesce(
            '"' || replace(
              datetime(t5."published_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"locale":',
          json_quote(t5."locale"),
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
          json_quote(t6."name"),
          ',"rank":',
          json_quote(t6."rank"),
          ',"createdAt":',
          coalesce(
            '"' || replace(
              datetime(t6."created_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            '"' || replace(
              datetime(t6."updated_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"publishedAt":',
          coalesce(
            '"' || replace(
              datetime(t6."published_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
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
          CASE
          WHEN t7."lines" IS NULL
          THEN 'null'
          ELSE CASE
          WHEN json_valid(t7."lines")
          THEN t7."lines"
          ELSE json_quote(t7."lines") END END,
          ',"createdAt":',
          coalesce(
            '"' || replace(
              datetime(t7."created_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            '"' || replace(
              datetime(t7."updated_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
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
          json_quote(t8."text"),
          ',"createdAt":',
          coalesce(
            '"' || replace(
              datetime(t8."created_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            '"' || replace(
              datetime(t8."updated_at" / 1000.0, 'unixepoch', 'subsec'),
              ' ',
              'T'
            ) || 'Z"',
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
      SELECT '[' || group_concat(t16.json, ',') || ']'
      FROM (
        SELECT CASE t9."subjects_type"
        WHEN 'api::author.author'
        THEN (
          SELECT concat(
            '{"id":',
            t10.id,
            ',"name":',
            json_quote(t10."name"),
            ',"born":',
            json_quote(t10."born"),
            ',"rating":',
            CASE
            WHEN t10."rating" = CAST(t10."rating" AS INTEGER)
            THEN CAST(CAST(t10."rating" AS INTEGER) AS TEXT)
            WHEN t10."rating" - t10."rating" = 0
            THEN json_quote(t10."rating")
            ELSE 'null' END,
            ',"createdAt":',
            coalesce(
              '"' || replace(
                datetime(t10."created_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || replace(
                datetime(t10."updated_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
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
            json_quote(t11."title"),
            ',"slug":',
            json_quote(t11."slug"),
            ',"blurb":',
            json_quote(t11."blurb"),
            ',"body":',
            json_quote(t11."body"),
            ',"language":',
            json_quote(t11."language"),
            ',"contact":',
            json_quote(t11."contact"),
            ',"pages":',
            json_quote(t11."pages"),
            ',"isbn":',
            json_quote(CAST(t11."isbn" AS TEXT)),
            ',"weight":',
            CASE
            WHEN t11."weight" = CAST(t11."weight" AS INTEGER)
            THEN CAST(CAST(t11."weight" AS INTEGER) AS TEXT)
            WHEN t11."weight" - t11."weight" = 0
            THEN json_quote(t11."weight")
            ELSE 'null' END,
            ',"price":',
            CASE
            WHEN t11."price" = CAST(t11."price" AS INTEGER)
            THEN CAST(CAST(t11."price" AS INTEGER) AS TEXT)
            WHEN t11."price" - t11."price" = 0
            THEN json_quote(t11."price")
            ELSE 'null' END,
            ',"inStock":',
            CASE t11."in_stock" WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
            ',"releaseDate":',
            json_quote(t11."release_date"),
            ',"opensAt":',
            json_quote(t11."opens_at"),
            ',"reviewedAt":',
            coalesce(
              '"' || replace(
                datetime(t11."reviewed_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"importedAt":',
            json_quote(CAST(t11."imported_at" AS TEXT)),
            ',"extra":',
            CASE
            WHEN t11."extra" IS NULL
            THEN 'null'
            ELSE CASE
            WHEN json_valid(t11."extra")
            THEN t11."extra"
            ELSE json_quote(t11."extra") END END,
            ',"content":',
            CASE
            WHEN t11."content" IS NULL
            THEN 'null'
            ELSE CASE
            WHEN json_valid(t11."content")
            THEN t11."content"
            ELSE json_quote(t11."content") END END,
            ',"keywords":',
            CASE
            WHEN t11."keywords" IS NULL
            THEN 'null'
            ELSE CASE
            WHEN json_valid(t11."keywords")
            THEN t11."keywords"
            ELSE json_quote(t11."keywords") END END,
            ',"ISBN13Code":',
            json_quote(t11."isbn_13_code"),
            ',"weird-name":',
            json_quote(t11."weird_name"),
            ',"Größe":',
            json_quote(t11."grosse"),
            ',"order":',
            json_quote(t11."order"),
            ',"select":',
            json_quote(t11."select"),
            ',"createdAt":',
            coalesce(
              '"' || replace(
                datetime(t11."created_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || replace(
                datetime(t11."updated_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"publishedAt":',
            coalesce(
              '"' || replace(
                datetime(t11."published_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"locale":',
            json_quote(t11."locale"),
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
            json_quote(t12."headline"),
            ',"createdAt":',
            coalesce(
              '"' || replace(
                datetime(t12."created_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || replace(
                datetime(t12."updated_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"publishedAt":',
            coalesce(
              '"' || replace(
                datetime(t12."published_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"locale":',
            json_quote(t12."locale"),
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
            json_quote(t13."name"),
            ',"rank":',
            json_quote(t13."rank"),
            ',"createdAt":',
            coalesce(
              '"' || replace(
                datetime(t13."created_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || replace(
                datetime(t13."updated_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"publishedAt":',
            coalesce(
              '"' || replace(
                datetime(t13."published_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
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
            CASE
            WHEN t14."lines" IS NULL
            THEN 'null'
            ELSE CASE
            WHEN json_valid(t14."lines")
            THEN t14."lines"
            ELSE json_quote(t14."lines") END END,
            ',"createdAt":',
            coalesce(
              '"' || replace(
                datetime(t14."created_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || replace(
                datetime(t14."updated_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
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
            json_quote(t15."text"),
            ',"createdAt":',
            coalesce(
              '"' || replace(
                datetime(t15."created_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
              'null'
            ),
            ',"updatedAt":',
            coalesce(
              '"' || replace(
                datetime(t15."updated_at" / 1000.0, 'unixepoch', 'subsec'),
                ' ',
                'T'
              ) || 'Z"',
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
  WHERE t2.id IN (?1, ?2)
  ORDER BY t2.id
  LIMIT ?3
) t1;
-- 1: 6
-- 2: 4
-- 3: 25
