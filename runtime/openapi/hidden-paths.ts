/** Removes the paths of a document that are behind feature gates that are off. */
import type { GroupVersionData } from '../contract/kind.ts';

/** The generator writes each path item from the beginning of a line (`document-text.ts`). */
const BEGIN = '"paths":{\n';
const END = '},\n"components"';
const BETWEEN = /,\n(?="\/)/;
const NAMESPACE = 'namespaces/{namespace}/';

/** @param text a generated document as JSON; definitions that only hidden paths use stay */
export function withoutHiddenPaths(text: string, { group, version, hidden = [] }: GroupVersionData): string {
  if (hidden.length === 0) return text;
  const begin = text.indexOf(BEGIN) + BEGIN.length;
  const end = text.indexOf(END, begin);
  const prefix = group === '' ? `"/api/${version}/` : `"/apis/${group}/${version}/`;
  const items = text.slice(begin, end).split(BETWEEN);
  const shown = items.filter((item) => !isHidden(item.slice(prefix.length, item.indexOf('"', 1)), hidden));
  return `${text.slice(0, begin)}${shown.join(',\n')}${text.slice(end)}`;
}

/** @param path below the group version, such as `namespaces/{namespace}/pods/{name}/resize` */
function isHidden(path: string, hidden: readonly string[]): boolean {
  const unwatched = path.startsWith('watch/') ? path.slice('watch/'.length) : path;
  const [resource = '', , subresource = ''] = (unwatched.startsWith(NAMESPACE) ? unwatched.slice(NAMESPACE.length) : unwatched).split('/');
  return hidden.includes(resource) || (subresource !== '' && hidden.includes(`${resource}/${subresource}`));
}
