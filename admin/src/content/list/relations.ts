import type { Attribute } from '../../api/operations';

const TO_MANY = /ToMany$|^manyWay$|^morphToMany$/;

/** Whether the relation can have several entries. */
export const isToMany = (attribute: Attribute): boolean => TO_MANY.test(attribute.relation ?? '');
