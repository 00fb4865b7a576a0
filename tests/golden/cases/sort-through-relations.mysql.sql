SELECT CAST(
  concat_ws(
    '',
    '[',
    coalesce(
      group_concat(
        concat_ws(
          '',
          '{"id":',
          t9.id,
          ',"attributes":{"rank":',
          coalesce(t9.`rank`, 'null'),
          '},"meta":{}}'
        )
        ORDER BY t4.k0 IS NOT NULL DESC,
        t4.k0 DESC,
        t4.k1 IS NOT NULL,
        t4.k1,
        t4.id SEPARATOR ',' LIMIT ?1
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*)
FROM `genres` t3
WHERE (
  t3.id IN (
    SELECT t7.`genre_id`
    FROM `genres_parent_links` t7
    JOIN `genres` t8 ON t8.id = t7.`inv_genre_id`
    WHERE t8.id IS NOT NULL
  )
  AND t3.`published_at` IS NOT NULL
))
FROM (
  SELECT t3.id,
  (
    SELECT t6.`name`
    FROM `genres_parent_links` t5
    JOIN `genres` t6 ON t6.id = t5.`inv_genre_id`
    WHERE t5.`genre_id` = t3.id
    ORDER BY t6.`name` DESC
    LIMIT 1
  ) AS k0,
  t3.`rank` AS k1
  FROM `genres` t3
  WHERE (
    t3.id IN (
      SELECT t7.`genre_id`
      FROM `genres_parent_links` t7
      JOIN `genres` t8 ON t8.id = t7.`inv_genre_id`
      WHERE t8.id IS NOT NULL
    )
    AND t3.`published_at` IS NOT NULL
  )
  ORDER BY k0 DESC,
  k1,
  id LIMIT ?1
) t4
JOIN `genres` t9 ON t9.id = t4.id;
-- 1: 25
