/** An integer of 64 bits. One beyond 2^53 is a `JSON.rawJSON` with its digits. */
type Integer = number | { readonly rawJSON: string };

/** The metadata that every API object has. All times are texts by RFC 3339. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: Integer;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: unknown[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** An object of any kind in one version, with the members that its JSON has. */
export interface ApiObject {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  // biome-ignore lint/suspicious/noExplicitAny: objects of all kinds pass through the machinery; kinds' own code uses the generated types
  [member: string]: any;
}
