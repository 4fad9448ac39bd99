/** Asks one webhook by a dispatcher, for the tests of what that leaves behind for audit. */
import { metricsData } from '../../../generated/metrics.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { type Candidate, Webhook } from '../../../runtime/admission/webhooks/configured-webhooks.ts';
import type { DispatcherParts } from '../../../runtime/admission/webhooks/dispatcher-parts.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import type { ConversionWebhook } from '../../custom-resources/conversion/webhook.ts';
import { NO_SERVICES } from '../../harness/no-services.ts';
import { identity } from '../../kinds/context.ts';
import { loadResource } from '../../kinds/kind.ts';

export const parts = {
  identity,
  authorizer: { authorize: async () => ({ decision: 'deny', reason: '' }), rules: () => ({}) },
  objects: { shared: () => ({ metadata: {} }) },
  serviceRoutes: NO_SERVICES,
  log: { warn() {} },
  metrics: new Metrics(metricsData),
} as unknown as DispatcherParts;

export interface Asked {
  /** in place of what leads to the webhook */
  readonly hook?: object;
  readonly index?: number;
  readonly object?: object;
  /** of the request; absent: true */
  readonly isRecordedWhole?: boolean;
  /** of the request */
  readonly signal?: AbortSignal;
}

/** What a dispatcher does for one candidate. */
export type Dispatch = (candidates: readonly Candidate[], attributes: AdmissionAttributes) => Promise<void>;

/** @returns what is noted for audit, as texts and as what these say, the object, and what was thrown */
export async function asking(
  { url, caBundle }: Pick<ConversionWebhook, 'url' | 'caBundle'>,
  dispatch: Dispatch,
  { hook = {}, index = 0, object = {}, isRecordedWhole = true, signal }: Asked,
) {
  const { resource, hub: kind } = await loadResource('', 'v1', 'services');
  const clientConfig = { url, caBundle };
  const spec = { name: 'a.example.com', clientConfig, admissionReviewVersions: ['v1'], sideEffects: 'None', ...hook };
  const candidate: Candidate = { webhook: new Webhook('hooks', 0, spec as never), index, resource, kind };
  const notes: Record<string, unknown> = {};
  const texts: Record<string, string> = {};
  const request = {
    ...OWN_WORK,
    ...(signal && { signal, throwIfOver: () => signal.throwIfAborted() }),
    isRecordedWhole,
    annotate(key: string, value: string) {
      texts[key] = value;
      notes[key] = value.startsWith('{') ? JSON.parse(value) : value;
    },
  };
  const given = kind.decode({ metadata: { name: 's', namespace: 'a' }, ...object }).object;
  const user = { name: 'jane', uid: '', groups: [], extra: {} };
  const attributes = {
    request,
    user,
    operation: 'create',
    resource,
    subresource: '',
    kind,
    namespace: 'a',
    name: 's',
    object: given,
    options: { dryRun: false },
  };
  const thrown = await dispatch([candidate], attributes as unknown as AdmissionAttributes).catch((error: unknown) => error);
  return { notes, texts, object: given, thrown };
}
