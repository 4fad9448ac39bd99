import type { Authorizer } from '../../authorization/authorizer.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import type { FindObjectsOfKind } from './parameters.ts';

/** What is needed to evaluate the policies of a request; see `PluginParts`. */
export interface DispatcherParts {
  readonly identity: Pick<Identity, 'text'>;
  readonly authorizer: Authorizer;
  readonly objects: Pick<ObjectLookup, 'shared'>;
  readonly objectsOfKind: FindObjectsOfKind;
  readonly featureEnabled: (gate: string) => boolean;
  readonly mayTakeLong: boolean;
  readonly metrics: Pick<Metrics, 'counter' | 'histogram'>;
}
