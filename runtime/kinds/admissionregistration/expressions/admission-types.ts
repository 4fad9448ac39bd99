/** What expressions about admission know of a request and of the namespace of its object (admission/plugin/cel/compile.go of 1.32). */
import { BOOL, DYN, INT, listOf, mapOf, STRING, struct, TIMESTAMP, type Type } from '../../../expressions/types/type.ts';

const texts = (...names: string[]): Record<string, Type> => Object.fromEntries(names.map((name) => [name, STRING]));
const kind = struct('kubernetes.GroupVersionKind', texts('group', 'version', 'kind'));
const resource = struct('kubernetes.GroupVersionResource', texts('group', 'version', 'resource'));

export const REQUEST: Type = struct('kubernetes.AdmissionRequest', {
  ...texts('name', 'namespace', 'operation', 'subResource', 'requestSubResource'),
  kind,
  resource,
  requestKind: kind,
  requestResource: resource,
  userInfo: struct('kubernetes.UserInfo', {
    ...texts('username', 'uid'),
    groups: listOf(STRING),
    extra: mapOf(STRING, listOf(STRING)),
  }),
  dryRun: BOOL,
  options: DYN,
});

export const NAMESPACE: Type = struct('kubernetes.Namespace', {
  metadata: struct('kubernetes.NamespaceMetadata', {
    ...texts('name', 'generateName', 'namespace', 'UID', 'resourceVersion'),
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    creationTimestamp: TIMESTAMP,
    deletionTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    generation: INT,
    finalizers: listOf(STRING),
  }),
  spec: struct('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: struct('kubernetes.NamespaceStatus', {
    phase: STRING,
    conditions: listOf(
      struct('kubernetes.NamespaceCondition', { ...texts('status', 'type', 'message', 'reason'), lastTransitionTime: TIMESTAMP }),
    ),
  }),
});
