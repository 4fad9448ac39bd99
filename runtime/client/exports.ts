/** What a client's package offers, whatever resources it has. */
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isUnauthorized,
} from './objects/api-error.ts';
export type * from './objects/object.ts';
export { type JsonPatchOperation, jsonPointer, type ListMap, type MergePatch, type StrategicMergePatch } from './objects/patches.ts';
export {
  absent,
  exists,
  type FieldSelector,
  type LabelRequirement,
  type LabelSelector,
  labelSelectorOf,
  noneOf,
  not,
  oneOf,
} from './objects/selectors.ts';
export type * from './objects/status.ts';
export { Client } from './resources/client.ts';
export type * from './resources/methods.ts';
export type * from './resources/options.ts';
export type * from './resources/resource.ts';
export { WatchStalled } from './resources/watch-lines.ts';
export type * from './transport/connection-settings.ts';
export { ConnectionError } from './transport/transport.ts';
