/** Finds the objects of a document: the document itself, or those of a list, typed or not. */
import { isMap, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { isObject, type JsonObject } from '../../runtime/schema/json/member.ts';
import { firstLine, type ManifestDocument } from './manifest-documents.ts';

/** Greatest number of lists within each other. */
const MAX_LISTS = 8;

/** An object within a document. */
export interface ManifestObject {
  /** Names and indexes that lead from the document to the object. */
  readonly path: readonly (string | number)[];
  readonly value: JsonObject;
  /** The object's own, or that of the typed list that holds it; undefined if neither states it. */
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/** Whether the object is a list, such as List or DeploymentList. A list is converted apart from its objects. */
export function isList({ kind, items }: JsonObject): boolean {
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
}

/**
 * @param itemKind gives the kind of those objects of a typed list that do not state theirs
 * @throws RangeError if too many lists are within each other
 */
export async function objectsOf(
  value: JsonObject,
  itemKind: (apiVersion: string, listKind: string) => Promise<string | undefined>,
  path: ManifestObject['path'] = [],
): Promise<ManifestObject[]> {
  const { apiVersion, kind } = ownNames(value);
  if (!isList(value)) return [{ path, value, apiVersion, kind }];
  if (path.length > 2 * MAX_LISTS) throw new RangeError(`more than ${MAX_LISTS} lists are within each other.`);
  const implied = apiVersion === undefined || kind === undefined ? undefined : await itemKind(apiVersion, kind);
  const objects: ManifestObject[] = [];
  for (const [index, item] of (value.items as unknown[]).entries()) {
    if (!isObject(item)) continue;
    const at = [...path, 'items', index];
    const own = ownNames(item);
    if (implied === undefined || isList(item)) objects.push(...(await objectsOf(item, itemKind, at)));
    else objects.push({ path: at, value: item, apiVersion: own.apiVersion ?? apiVersion, kind: own.kind ?? implied });
  }
  return objects;
}

function ownNames({ apiVersion, kind }: JsonObject): Pick<ManifestObject, 'apiVersion' | 'kind'> {
  return { apiVersion: typeof apiVersion === 'string' ? apiVersion : undefined, kind: typeof kind === 'string' ? kind : undefined };
}

/** @returns such as `Deployment "web"` or `Deployment "shop/web"` */
export function objectName({ kind = 'object', value }: ManifestObject): string {
  const { name, generateName, namespace } = isObject(value.metadata) ? value.metadata : {};
  const own = typeof name === 'string' ? name : typeof generateName === 'string' ? `${generateName}*` : '';
  if (own === '') return kind;
  return `${kind} "${typeof namespace === 'string' && namespace !== '' ? `${namespace}/` : ''}${own}"`;
}

/** Finds lines of the file. It parses the document again only when it is asked for an object of a list. */
export class ObjectLines {
  readonly #document: ManifestDocument;
  #parsed: { root: unknown; lines: LineCounter } | undefined;

  constructor(document: ManifestDocument) {
    this.#document = document;
  }

  of({ path }: Pick<ManifestObject, 'path'>): number {
    const { line, text } = this.#document;
    if (path.length === 0) return line + firstLine(text);
    const { root, lines } = this.#parse();
    const node = path.reduce<unknown>((at, step) => {
      if (isMap(at)) return at.get(step, true);
      return isSeq(at) ? at.items[Number(step)] : undefined;
    }, root) as Node | undefined;
    return line + (node?.range == null ? firstLine(text) : lines.linePos(node.range[0]).line - 1);
  }

  #parse(): { root: unknown; lines: LineCounter } {
    const lines = new LineCounter();
    this.#parsed ??= {
      root: parseDocument(this.#document.text, { lineCounter: lines, version: '1.1', uniqueKeys: false, logLevel: 'silent' }).contents,
      lines,
    };
    return this.#parsed;
  }
}
