import type { ApiObject, ObjectMeta } from '../contract/object.ts';

/** An object that the server makes where it is missing, and looks after. */
export interface SystemObject {
  /** of the version whose form `members` has; one that is served in no version of that form is left alone */
  readonly resource: { readonly group: string; readonly version: string; readonly name: string };
  /** with a namespace where the resource has them */
  readonly metadata: Pick<ObjectMeta, 'namespace' | 'labels' | 'annotations'> & { readonly name: string };
  /** all but kind, apiVersion and metadata */
  readonly members: Readonly<Record<string, unknown>>;
  /** owner of the fields that the server sets; absent: the server as usual */
  readonly manager?: string;
  /** another object of the resource of which this one takes something, where it is made while that one is there already */
  readonly model?: { readonly name: string; readonly taken: (model: ApiObject) => Pick<SystemObject, 'metadata' | 'members'> };
  /**
   * What the stored object is to become: `recreate` where no update may make that of it; undefined: it stays as it is. Absent: it always does.
   * @param stored of the stored form; not changed, parts of it may be shared
   */
  readonly repair?: (stored: ApiObject) => ApiObject | 'recreate' | undefined;
}
