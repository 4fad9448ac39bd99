/** No write uses more of a namespace than its quotas allow; what each uses is counted before it is stored. */
import type { ApiObject } from '../../contract/object.ts';
import type { WriteCondition } from '../../registry/resource-store/write-condition.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { Charges } from '../resource-quota/charges.ts';
import { type Asked, check } from '../resource-quota/check.ts';
import { Evaluators, isCounted } from '../resource-quota/evaluators/evaluators.ts';
import type { LimitedResource } from '../resource-quota/limited-resources.ts';
import { Quota } from '../resource-quota/quota.ts';

const NAME = 'ResourceQuota';

export function resourceQuota({
  identity: { text },
  featureEnabled,
  followed,
  quotaStatuses,
  configuration,
}: PluginParts): AdmissionPlugin {
  const stored = followed('resourcequotas');
  const evaluators = new Evaluators({ text, featureEnabled });
  const { limitedResources: limited = [] } = (configuration(NAME) ?? {}) as { limitedResources?: readonly LimitedResource[] };
  const quotas = (namespace: string): ApiObject[] => [...stored.in(namespace)].sort(byName);
  const charges = new Charges({ quotas, statuses: quotaStatuses, renew: async (attributes) => reserve(attributes) });

  const reserve = (attributes: AdmissionAttributes): undefined | Promise<WriteCondition | undefined> => {
    const { operation, resource, namespace, object, options } = attributes;
    if ((operation !== 'create' && operation !== 'update') || object === undefined || !isCounted(resource)) return undefined;
    if (stored.in(namespace).length === 0 && limited.length === 0) return undefined;
    const evaluator = evaluators.of(resource.groupResource);
    if (!evaluator.handles(attributes)) return undefined;
    const asked = (): Asked => ({
      attributes,
      evaluator,
      limited,
      now: Date.now(),
      refuse: (cause) => forbidden(attributes, cause),
    });
    // What has grown since is found when it is taken; what takes nothing, or too much, need not wait for that.
    const running = quotas(namespace)
      .map((each) => Quota.of(each))
      .map((quota) => ({ quota, used: quota.used }));
    if (check(running, asked()).size === 0 || options.dryRun) return undefined;
    return charges.take(attributes, asked);
  };
  return { reserve };
}

const byName = ({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number => ((a.name as string) < (b.name as string) ? -1 : 1);
