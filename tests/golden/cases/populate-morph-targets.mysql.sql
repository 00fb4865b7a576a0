SELECT CAST(
  concat_ws(
    '',
    '[',
    coalesce(
      group_concat(
        concat_ws(
          '',
          '{"id":',
          t2.id,
          ',"attributes":{"text":',
          coalesce(json_quote(t2.`text`), 'null' COLLATE utf8mb4_bin),
          ',"createdAt":',
          coalesce(
            concat(left(date_format(t2.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
            'null'
          ),
          ',"updatedAt":',
          coalesce(
            concat(left(date_format(t2.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
            'null'
          ),
          ',"subject":',
          coalesce(
            CASE t2.target_type
            WHEN 'api::author.author'
            THEN (
              SELECT concat_ws(
                '',
                '{"id":',
                t5.id,
                ',"name":',
                coalesce(json_quote(t5.`name`), 'null' COLLATE utf8mb4_bin),
                ',"born":',
                coalesce(concat('"', t5.`born`, '"'), 'null'),
                ',"rating":',
                coalesce(t5.`rating` + 0e0, 'null'),
                ',"createdAt":',
                coalesce(
                  concat(left(date_format(t5.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"updatedAt":',
                coalesce(
                  concat(left(date_format(t5.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                '}'
              )
              FROM `authors` t5
              WHERE t5.id = t2.target_id
            )
            WHEN 'api::book.book'
            THEN (
              SELECT concat_ws(
                '',
                '{"id":',
                t6.id,
                ',"title":',
                coalesce(json_quote(t6.`title`), 'null' COLLATE utf8mb4_bin),
                ',"slug":',
                coalesce(json_quote(t6.`slug`), 'null' COLLATE utf8mb4_bin),
                ',"blurb":',
                coalesce(json_quote(t6.`blurb`), 'null' COLLATE utf8mb4_bin),
                ',"body":',
                coalesce(json_quote(t6.`body`), 'null' COLLATE utf8mb4_bin),
                ',"language":',
                coalesce(json_quote(t6.`language`), 'null' COLLATE utf8mb4_bin),
                ',"contact":',
                coalesce(json_quote(t6.`contact`), 'null' COLLATE utf8mb4_bin),
                ',"pages":',
                coalesce(t6.`pages`, 'null'),
                ',"isbn":',
                coalesce(concat('"', t6.`isbn`, '"'), 'null'),
                ',"weight":',
                coalesce(t6.`weight`, 'null'),
                ',"price":',
                coalesce(t6.`price` + 0e0, 'null'),
                ',"inStock":',
                CASE t6.`in_stock` WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
                ',"releaseDate":',
                coalesce(concat('"', t6.`release_date`, '"'), 'null'),
                ',"opensAt":',
                coalesce(concat('"', t6.`opens_at`, '"'), 'null'),
                ',"reviewedAt":',
                coalesce(
                  concat(left(date_format(t6.`reviewed_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"importedAt":',
                coalesce(
                  concat(
                    '"',
                    CAST(
                      floor(
                        timestampdiff(MICROSECOND, '1970-01-01 00:00:00', t6.`imported_at`) / 1000
                      ) AS SIGNED
                    ),
                    '"'
                  ),
                  'null'
                ),
                ',"extra":',
                coalesce(t6.`extra`, 'null'),
                ',"content":',
                coalesce(t6.`content`, 'null'),
                ',"keywords":',
                coalesce(t6.`keywords`, 'null'),
                ',"ISBN13Code":',
                coalesce(json_quote(t6.`isbn_13_code`), 'null' COLLATE utf8mb4_bin),
                ',"weird-name":',
                coalesce(json_quote(t6.`weird_name`), 'null' COLLATE utf8mb4_bin),
                ',"Größe":',
                coalesce(t6.`grosse`, 'null'),
                ',"order":',
                coalesce(t6.`order`, 'null'),
                ',"select":',
                coalesce(json_quote(t6.`select`), 'null' COLLATE utf8mb4_bin),
                ',"createdAt":',
                coalesce(
                  concat(left(date_format(t6.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"updatedAt":',
                coalesce(
                  concat(left(date_format(t6.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"publishedAt":',
                coalesce(
                  concat(left(date_format(t6.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"locale":',
                coalesce(json_quote(t6.`locale`), 'null' COLLATE utf8mb4_bin),
                '}'
              )
              FROM `books` t6
              WHERE t6.id = t2.target_id
              AND t6.`published_at` IS NOT NULL
            )
            WHEN 'api::front-page.front-page'
            THEN (
              SELECT concat_ws(
                '',
                '{"id":',
                t7.id,
                ',"headline":',
                coalesce(json_quote(t7.`headline`), 'null' COLLATE utf8mb4_bin),
                ',"createdAt":',
                coalesce(
                  concat(left(date_format(t7.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"updatedAt":',
                coalesce(
                  concat(left(date_format(t7.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"publishedAt":',
                coalesce(
                  concat(left(date_format(t7.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"locale":',
                coalesce(json_quote(t7.`locale`), 'null' COLLATE utf8mb4_bin),
                '}'
              )
              FROM `front_pages` t7
              WHERE t7.id = t2.target_id
              AND t7.`published_at` IS NOT NULL
            )
            WHEN 'api::genre.genre'
            THEN (
              SELECT concat_ws(
                '',
                '{"id":',
                t8.id,
                ',"name":',
                coalesce(json_quote(t8.`name`), 'null' COLLATE utf8mb4_bin),
                ',"rank":',
                coalesce(t8.`rank`, 'null'),
                ',"createdAt":',
                coalesce(
                  concat(left(date_format(t8.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"updatedAt":',
                coalesce(
                  concat(left(date_format(t8.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"publishedAt":',
                coalesce(
                  concat(left(date_format(t8.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                '}'
              )
              FROM `genres` t8
              WHERE t8.id = t2.target_id
              AND t8.`published_at` IS NOT NULL
            )
            WHEN 'api::imprint.imprint'
            THEN (
              SELECT concat_ws(
                '',
                '{"id":',
                t9.id,
                ',"lines":',
                coalesce(t9.`lines`, 'null'),
                ',"createdAt":',
                coalesce(
                  concat(left(date_format(t9.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"updatedAt":',
                coalesce(
                  concat(left(date_format(t9.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                '}'
              )
              FROM `imprints` t9
              WHERE t9.id = t2.target_id
            )
            WHEN 'api::note.note'
            THEN (
              SELECT concat_ws(
                '',
                '{"id":',
                t10.id,
                ',"text":',
                coalesce(json_quote(t10.`text`), 'null' COLLATE utf8mb4_bin),
                ',"createdAt":',
                coalesce(
                  concat(left(date_format(t10.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                ',"updatedAt":',
                coalesce(
                  concat(left(date_format(t10.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
                  'null'
                ),
                '}'
              )
              FROM `notes` t10
              WHERE t10.id = t2.target_id
            ) END,
            'null'
          ),
          concat(
            ',"subjects":',
            (
              SELECT concat(
                '[',
                group_concat(
                  CASE t11.`subjects_type`
                  WHEN 'api::author.author'
                  THEN (
                    SELECT concat_ws(
                      '',
                      '{"id":',
                      t12.id,
                      ',"name":',
                      coalesce(json_quote(t12.`name`), 'null' COLLATE utf8mb4_bin),
                      ',"born":',
                      coalesce(concat('"', t12.`born`, '"'), 'null'),
                      ',"rating":',
                      coalesce(t12.`rating` + 0e0, 'null'),
                      ',"createdAt":',
                      coalesce(
                        concat(
                          left(date_format(t12.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"updatedAt":',
                      coalesce(
                        concat(
                          left(date_format(t12.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"__type":"api::author.author"}'
                    )
                    FROM `authors` t12
                    WHERE t12.id = t11.`subjects_id`
                  )
                  WHEN 'api::book.book'
                  THEN (
                    SELECT concat_ws(
                      '',
                      '{"id":',
                      t13.id,
                      ',"title":',
                      coalesce(json_quote(t13.`title`), 'null' COLLATE utf8mb4_bin),
                      ',"slug":',
                      coalesce(json_quote(t13.`slug`), 'null' COLLATE utf8mb4_bin),
                      ',"blurb":',
                      coalesce(json_quote(t13.`blurb`), 'null' COLLATE utf8mb4_bin),
                      ',"body":',
                      coalesce(json_quote(t13.`body`), 'null' COLLATE utf8mb4_bin),
                      ',"language":',
                      coalesce(json_quote(t13.`language`), 'null' COLLATE utf8mb4_bin),
                      ',"contact":',
                      coalesce(json_quote(t13.`contact`), 'null' COLLATE utf8mb4_bin),
                      ',"pages":',
                      coalesce(t13.`pages`, 'null'),
                      ',"isbn":',
                      coalesce(concat('"', t13.`isbn`, '"'), 'null'),
                      ',"weight":',
                      coalesce(t13.`weight`, 'null'),
                      ',"price":',
                      coalesce(t13.`price` + 0e0, 'null'),
                      ',"inStock":',
                      CASE t13.`in_stock` WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END,
                      ',"releaseDate":',
                      coalesce(concat('"', t13.`release_date`, '"'), 'null'),
                      ',"opensAt":',
                      coalesce(concat('"', t13.`opens_at`, '"'), 'null'),
                      ',"reviewedAt":',
                      coalesce(
                        concat(
                          left(date_format(t13.`reviewed_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"importedAt":',
                      coalesce(
                        concat(
                          '"',
                          CAST(
                            floor(
                              timestampdiff(
                                MICROSECOND,
                                '1970-01-01 00:00:00',
                                t13.`imported_at`
                              ) / 1000
                            ) AS SIGNED
                          ),
                          '"'
                        ),
                        'null'
                      ),
                      ',"extra":',
                      coalesce(t13.`extra`, 'null'),
                      ',"content":',
                      coalesce(t13.`content`, 'null'),
                      ',"keywords":',
                      coalesce(t13.`keywords`, 'null'),
                      ',"ISBN13Code":',
                      coalesce(json_quote(t13.`isbn_13_code`), 'null' COLLATE utf8mb4_bin),
                      ',"weird-name":',
                      coalesce(json_quote(t13.`weird_name`), 'null' COLLATE utf8mb4_bin),
                      ',"Größe":',
                      coalesce(t13.`grosse`, 'null'),
                      ',"order":',
                      coalesce(t13.`order`, 'null'),
                      ',"select":',
                      coalesce(json_quote(t13.`select`), 'null' COLLATE utf8mb4_bin),
                      ',"createdAt":',
                      coalesce(
                        concat(
                          left(date_format(t13.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"updatedAt":',
                      coalesce(
                        concat(
                          left(date_format(t13.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"publishedAt":',
                      coalesce(
                        concat(
                          left(date_format(t13.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"locale":',
                      coalesce(json_quote(t13.`locale`), 'null' COLLATE utf8mb4_bin),
                      ',"__type":"api::book.book"}'
                    )
                    FROM `books` t13
                    WHERE t13.id = t11.`subjects_id`
                    AND t13.`published_at` IS NOT NULL
                  )
                  WHEN 'api::front-page.front-page'
                  THEN (
                    SELECT concat_ws(
                      '',
                      '{"id":',
                      t14.id,
                      ',"headline":',
                      coalesce(json_quote(t14.`headline`), 'null' COLLATE utf8mb4_bin),
                      ',"createdAt":',
                      coalesce(
                        concat(
                          left(date_format(t14.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"updatedAt":',
                      coalesce(
                        concat(
                          left(date_format(t14.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"publishedAt":',
                      coalesce(
                        concat(
                          left(date_format(t14.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"locale":',
                      coalesce(json_quote(t14.`locale`), 'null' COLLATE utf8mb4_bin),
                      ',"__type":"api::front-page.front-page"}'
                    )
                    FROM `front_pages` t14
                    WHERE t14.id = t11.`subjects_id`
                    AND t14.`published_at` IS NOT NULL
                  )
                  WHEN 'api::genre.genre'
                  THEN (
                    SELECT concat_ws(
                      '',
                      '{"id":',
                      t15.id,
                      ',"name":',
                      coalesce(json_quote(t15.`name`), 'null' COLLATE utf8mb4_bin),
                      ',"rank":',
                      coalesce(t15.`rank`, 'null'),
                      ',"createdAt":',
                      coalesce(
                        concat(
                          left(date_format(t15.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"updatedAt":',
                      coalesce(
                        concat(
                          left(date_format(t15.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"publishedAt":',
                      coalesce(
                        concat(
                          left(date_format(t15.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"__type":"api::genre.genre"}'
                    )
                    FROM `genres` t15
                    WHERE t15.id = t11.`subjects_id`
                    AND t15.`published_at` IS NOT NULL
                  )
                  WHEN 'api::imprint.imprint'
                  THEN (
                    SELECT concat_ws(
                      '',
                      '{"id":',
                      t16.id,
                      ',"lines":',
                      coalesce(t16.`lines`, 'null'),
                      ',"createdAt":',
                      coalesce(
                        concat(
                          left(date_format(t16.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"updatedAt":',
                      coalesce(
                        concat(
                          left(date_format(t16.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"__type":"api::imprint.imprint"}'
                    )
                    FROM `imprints` t16
                    WHERE t16.id = t11.`subjects_id`
                  )
                  WHEN 'api::note.note'
                  THEN (
                    SELECT concat_ws(
                      '',
                      '{"id":',
                      t17.id,
                      ',"text":',
                      coalesce(json_quote(t17.`text`), 'null' COLLATE utf8mb4_bin),
                      ',"createdAt":',
                      coalesce(
                        concat(
                          left(date_format(t17.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"updatedAt":',
                      coalesce(
                        concat(
                          left(date_format(t17.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24),
                          'Z"'
                        ),
                        'null'
                      ),
                      ',"__type":"api::note.note"}'
                    )
                    FROM `notes` t17
                    WHERE t17.id = t11.`subjects_id`
                  ) END
                  ORDER BY t11.`order` IS NOT NULL,
                  t11.`order`,
                  t11.id SEPARATOR ','
                ),
                ']'
              )
              FROM `notes_subjects_morphs` t11
              WHERE t11.`note_id` = t2.id
              AND t11.`subjects_type` IN (
                'api::author.author',
                'api::book.book',
                'api::front-page.front-page',
                'api::genre.genre',
                'api::imprint.imprint',
                'api::note.note'
              )
            )
          ),
          '},"meta":{}}'
        )
        ORDER BY t2.id SEPARATOR ','
        LIMIT ?3
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*) FROM `notes` t19 WHERE t19.id IN (?1, ?2))
FROM (SELECT t4.id FROM `notes` t4 WHERE t4.id IN (?1, ?2) ORDER BY t4.id LIMIT ?3) t3
JOIN `notes` t2 ON t2.id = t3.id;
-- 1: 6
-- 2: 4
-- 3: 25
