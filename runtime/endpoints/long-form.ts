/** Forms of long objects, which another thread makes: what it is told, so that it makes what this one would. */
import type { RequestContext } from '../contract/request-context.ts';
import type { Negotiated } from '../negotiation/negotiation.ts';
import type { Kind } from '../registry/kinds/kind.ts';
import type { IncludeObject } from '../registry/lists/table.ts';
import type { EventType } from './answers/watch-frame.ts';
import type { RequestInfo } from './request/request-info.ts';

/** Whose objects they are, and what a client has asked to have them as. */
export interface FormPlace {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly negotiated: Negotiated;
}

/**
 * `stored`: an item as it is stored, or would be under the present schema. `json`: in another version, behind a comma. `metadata`: metadata alone, behind a
 * comma. `cells`: a row's cells, with times to be filled in. `object`: the whole object of a row. `protobuf`: an item, its metadata alone where the list is
 * one of metadata, behind its tag and length.
 */
export type ItemForm = 'stored' | 'json' | 'metadata' | 'cells' | 'object' | 'protobuf';

/** An event of a watch. A bookmark is of no object. */
export interface EventForm {
  readonly type: EventType;
  readonly revision: number;
  readonly include: IncludeObject;
  /** whether a Table says its columns */
  readonly columns: boolean;
}

export type LongForm =
  | { readonly item: ItemForm }
  | { readonly event: EventForm }
  /** the JSON of a Table's columns, without an object */
  | 'columns'
  /** an object as if it were stored in the version of the path */
  | 'converted'
  /** the JSON of a list's item is converted to the form that the item has in the list */
  | { readonly layout: 'yaml' | 'indented' | 'cbor' }
  /** JSON that belongs to no resource is converted to a document */
  | { readonly document: 'yaml' | 'indented' }
  /** all groups with their versions and resources are converted to the form of aggregated discovery */
  | { readonly groups: { readonly pretty: boolean } };

export interface FormOrder {
  readonly place: FormPlace;
  readonly form: LongForm;
  /** an object as it is stored; of a layout, a document and groups, JSON. Memory that threads share is not copied: nobody changes it. */
  readonly value: Uint8Array;
}

/** Makes forms on another thread. */
export interface LongForms {
  /** @param waiting whose answer it is for. @returns bytes of the caller's own. @throws StatusError */
  form(order: FormOrder, waiting: Pick<RequestContext, 'user' | 'signal'>): Promise<Buffer>;
}

/** Whether Tables of a kind are made by another thread. */
export const isLongTable = ({ kind, negotiated }: { readonly kind: Kind; readonly negotiated: Negotiated }): boolean =>
  kind.hub.hasLongTable && negotiated.transform === 'Table';

export function placeOf({ info, negotiated }: { readonly info: RequestInfo; readonly negotiated: Negotiated }): FormPlace {
  const { group, version, resource } = info;
  return { group, version, resource, negotiated };
}
