import type { ApiObject } from '../contract/object.ts';
import { StoredObject } from '../registry/stored-object.ts';
import { prefixEnd, type Storage } from '../storage/storage.ts';

/** All objects of a small resource, as they are stored. @param prefix of their keys, with its trailing slash */
export function storedCollection(storage: Storage, prefix: string): ApiObject[] {
  const objects: ApiObject[] = [];
  for (const { value } of storage.range({ start: prefix, end: prefixEnd(prefix) }))
    objects.push(new StoredObject(value).parse() as ApiObject);
  return objects;
}
