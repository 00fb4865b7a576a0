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
          ',"rank":',
          coalesce(t2.`rank`, 'null'),
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
          ',"publishedAt":',
          coalesce(
            concat(left(date_format(t2.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
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
)
FROM (SELECT t4.id FROM `genres` t4 WHERE t4.`published_at` IS NOT NULL ORDER BY t4.id LIMIT ?1) t3
JOIN `genres` t2 ON t2.id = t3.id;
-- 1: 1
