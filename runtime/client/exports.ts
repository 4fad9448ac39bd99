/** What a client's package offers, whatever resources it has. */
export {
  type Cluster,
  type Configuration,
  ConfigurationError,
  type Context,
  EmptyConfiguration,
  type ExecSettings,
  type User,
} from './configuration/configuration.ts';
export { readConfiguration } from './configuration/configuration-object.ts';
export {
  connectionOf,
  type FindOptions,
  type FoundConnection,
  findConnection,
  inClusterConnection,
  isInCluster,
} from './configuration/connection.ts';
export { defaultLoadingRules, type LoadingRules, loadConfiguration } from './configuration/loading-rules.ts';
export {
  namespaceOf,
  type Overrides,
  type ResolvedConfiguration,
  type ResolveOptions,
  resolveConfiguration,
} from './configuration/resolve.ts';
export { confirmUsable, validateConfiguration } from './configuration/validate.ts';
export { writeConfiguration } from './configuration/write.ts';
export { type HandlerOptions, type Informer, type InformerOptions, InformerStopped, type Registration } from './informers/informer.ts';
export { Informers, informer, metadataInformer, type SharedChoice } from './informers/informers.ts';
export type { ChangeCause, ChangeType, ObjectChange } from './informers/object-change.ts';
export type { IndexFunction } from './informers/object-store.ts';
export { type LeaderElectionOptions, LeaderElector, LeadershipLost } from './leader-election/leader-elector.ts';
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
export { attach, type CommandOptions, type CommandResult, exec, type TerminalSize } from './pods/commands.ts';
export { followLogs, type LogOptions, logs } from './pods/logs.ts';
export { fetchThrough } from './pods/proxy.ts';
export { Client, type RequestRate } from './resources/client.ts';
export { WatchStalled } from './resources/idle-limit.ts';
export type * from './resources/methods.ts';
export type * from './resources/options.ts';
export type * from './resources/resource.ts';
export type * from './transport/connection-settings.ts';
export { ConnectionError } from './transport/transport.ts';
export type { Clock } from './work-queue/clock.ts';
export type { RetryLimitOptions } from './work-queue/retry-limits.ts';
export { WorkQueue, type WorkQueueOptions } from './work-queue/work-queue.ts';
