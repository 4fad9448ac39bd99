/** What came of holding pods against levels, counted under the names and by the rules of 1.32. */
import type { Count, Counter, Metrics } from '../../observability/metrics.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import type { LevelVersion } from './policy.ts';

export class PodSecurityMetrics {
  readonly #evaluations: Counter;
  readonly #exemptions: Counter;
  readonly #errors: Counter;
  readonly #newest: number;
  /** by what tells evaluations apart, of which there are few */
  readonly #evaluated = new Map<string, Count>();

  /** @param release the one whose API is served, such as 1.32 */
  constructor(metrics: Pick<Metrics, 'counter'>, release: string) {
    this.#evaluations = metrics.counter('pod_security_evaluations_total');
    this.#exemptions = metrics.counter('pod_security_exemptions_total');
    this.#errors = metrics.counter('pod_security_errors_total');
    this.#newest = minorOf(release);
  }

  evaluated(decision: 'allow' | 'deny', policy: LevelVersion, mode: 'enforce' | 'audit' | 'warn', attributes: AdmissionAttributes): void {
    const version = this.#versionOf(policy);
    const { operation, subresource } = attributes;
    const { group, resource } = attributes.resource.groupResource;
    const key = `${decision} ${policy.level} ${version} ${mode} ${operation} ${group}/${resource} ${subresource}`;
    let count = this.#evaluated.get(key);
    if (count === undefined) {
      count = this.#evaluations.with({ decision, policy_level: policy.level, policy_version: version, mode, ...requestOf(attributes) });
      this.#evaluated.set(key, count);
    }
    count.inc();
  }

  exempted(attributes: AdmissionAttributes): void {
    this.#exemptions.inc(requestOf(attributes));
  }

  /** @param fatal the request could not be judged at all */
  failed(fatal: boolean, attributes: AdmissionAttributes): void {
    this.#errors.inc({ fatal: String(fatal), ...requestOf(attributes) });
  }

  /** Versions that nobody has yet are one, so that labels of namespaces make no rows. */
  #versionOf({ level, version }: LevelVersion): string {
    if (level === 'privileged' || version === 'latest') return 'latest';
    return minorOf(version.slice(1)) > this.#newest ? 'future' : version;
  }
}

const minorOf = (release: string): number => Number(release.split('.')[1]);

const RESOURCES: Readonly<Record<string, string>> = { pods: 'pod', namespaces: 'namespace' };

function requestOf({ operation, resource: { groupResource }, subresource }: AdmissionAttributes): Record<string, string> {
  const resource = (groupResource.group === '' ? RESOURCES[groupResource.resource] : undefined) ?? 'controller';
  return { request_operation: operation, resource, subresource };
}
