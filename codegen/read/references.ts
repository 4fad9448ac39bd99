/** Finds the references of a document, wherever they stand. */
import { isObject } from './sources.ts';

/** @param visit gets each reference with its place in the document, such as `components.schemas.PodSpec.properties.volumes.items` */
export function eachReference(value: unknown, visit: (reference: string, place: string) => void, place = ''): void {
  const below = (name: string): string => (place === '' ? name : `${place}.${name}`);
  if (Array.isArray(value)) for (const [index, item] of value.entries()) eachReference(item, visit, below(String(index)));
  if (!isObject(value)) return;
  if (typeof value.$ref === 'string') visit(value.$ref, place);
  for (const [name, member] of Object.entries(value)) eachReference(member, visit, below(name));
}
