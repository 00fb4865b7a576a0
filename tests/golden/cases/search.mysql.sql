SELECT CAST(concat_ws('', '[', coalesce(group_concat(concat_ws('', '{"id":', t5.id, ',"attributes":{"name":', coalesce(json_quote(t5.`name`), 'null' COLLATE utf8mb4_bin), '},"meta":{}}') ORDER BY t4.id SEPARATOR ',' LIMIT ?2), ''), ']') AS BINARY), (
  SELECT count(*)
  FROM `genres` t3
  WHERE (
    t3.`published_at` IS NOT NULL
    AND (
      lower(t3.`name`) LIKE concat(
        '%',
        replace(replace(replace(lower(?1), '|', '||'), '%', '|%'), '_', '|_'),
        '%'
      ) ESCAPE '|'
      OR lower(t3.`rank`) LIKE concat(
        '%',
        replace(replace(replace(lower(?1), '|', '||'), '%', '|%'), '_', '|_'),
        '%'
      ) ESCAPE '|'
      OR lower(t3.id) LIKE concat(
        '%',
        replace(replace(replace(lower(?1), '|', '||'), '%', '|%'), '_', '|_'),
        '%'
      ) ESCAPE '|'
    )
  )
)
FROM (
  SELECT t3.id
  FROM `genres` t3
  WHERE (
    t3.`published_at` IS NOT NULL
    AND (
      lower(t3.`name`) LIKE concat(
        '%',
        replace(replace(replace(lower(?1), '|', '||'), '%', '|%'), '_', '|_'),
        '%'
      ) ESCAPE '|'
      OR lower(t3.`rank`) LIKE concat(
        '%',
        replace(replace(replace(lower(?1), '|', '||'), '%', '|%'), '_', '|_'),
        '%'
      ) ESCAPE '|'
      OR lower(t3.id) LIKE concat(
        '%',
        replace(replace(replace(lower(?1), '|', '||'), '%', '|%'), '_', '|_'),
        '%'
      ) ESCAPE '|'
    )
  )
  ORDER BY id
  LIMIT ?2
) t4
JOIN `genres` t5 ON t5.id = t4.id;
-- 1: '3'
-- 2: 25
