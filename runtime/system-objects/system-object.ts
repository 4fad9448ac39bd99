import type { ApiObject, ObjectMeta } from '../contract/object.ts';

/** An object that the server makes where it is missing, and looks after. */
export interface SystemObject {
  /** resource of no namespace, of the version whose form `members` has; one that is not served is left alone */
  readonly resource: { readonly group: string; readonly version: string; readonly name: string };
  readonly metadata: Pick<ObjectMeta, 'labels' | 'annotations'> & { readonly name: string };
  /** all but kind, apiVersion and metadata */
  readonly members: Readonly<Record<string, unknown>>;
  /**
   * What the stored object is to become; undefined: it stays as it is. Absent: it always does.
   * @param stored of the stored form; not changed
   */
  readonly repair?: (stored: ApiObject) => ApiObject | undefined;
}
