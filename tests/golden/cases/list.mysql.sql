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
          ',"attributes":{"name":',
          coalesce(json_quote(t2.`name`), 'null' COLLATE utf8mb4_bin),
          ',"born":',
          coalesce(concat('"', t2.`born`, '"'), 'null'),
          ',"rating":',
          coalesce(t2.`rating` + 0e0, 'null'),
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
          '},"meta":{}}'
        )
        ORDER BY t2.id SEPARATOR ','
        LIMIT ?1
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*) FROM `authors` t5)
FROM (SELECT t4.id FROM `authors` t4 ORDER BY t4.id LIMIT ?1) t3
JOIN `authors` t2 ON t2.id = t3.id;
-- 1: 2
