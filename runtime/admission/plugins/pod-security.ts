/**
 * Pods are as secure as the labels of their namespaces want it (the pod security standards of 1.32): others are refused, recorded or warned of. What
 * makes pods is never refused, for it may yet be changed before the pods come.
 */

import type { PodSecurityConfiguration } from '../../../generated/podsecurity/v1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goQuote } from '../../go-text/quote.ts';
import { newForbidden, newInternalErrorOf, newInvalid } from '../../status/status.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { detailsOf, Evaluation, type PodParts } from '../pod-security/evaluation.ts';
import { warningsOfPods } from '../pod-security/existing-pods.ts';
import { PodSecurityMetrics } from '../pod-security/pod-security-metrics.ts';
import { templateReader } from '../pod-security/pod-templates.ts';
import {
  isSame,
  type JudgedPolicy,
  type LevelVersion,
  MODES,
  type Mode,
  mayRefuseMore,
  type Policy,
  policyOf,
  prefixOf,
  textOf,
} from '../pod-security/policy.ts';
import { type Settings, settingsOf } from '../pod-security/settings.ts';
import { isSignificant } from '../pod-security/significant-update.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

/** The subresources of pods that have no pod, or that change nothing which is checked. */
const IGNORED_SUBRESOURCES = new Set(['attach', 'binding', 'eviction', 'exec', 'log', 'portforward', 'proxy', 'status']);

/** The resources of the core group that are checked, besides those with templates of pods. */
const LOOKED_AT = new Set(['pods', 'namespaces']);

export function podSecurity(parts: PluginParts): AdmissionPlugin {
  const plugin = new PodSecurity(parts);
  return {
    concerns: (of) => (of.group === '' && LOOKED_AT.has(of.resource)) || templateReader(of) !== undefined,
    validate(attributes) {
      const { operation, subresource, kind } = attributes;
      if (operation !== 'create' && operation !== 'update') return;
      const { groupResource } = attributes.resource;
      if (groupResource.group === '' && groupResource.resource === 'pods') {
        if (kind.kind === 'Pod' && !IGNORED_SUBRESOURCES.has(subresource)) plugin.admitPod(attributes);
        return;
      }
      if (subresource !== '') return;
      if (groupResource.group === '' && groupResource.resource === 'namespaces') return plugin.admitNamespace(attributes);
      const templateOf = templateReader(groupResource);
      if (templateOf !== undefined) plugin.admitTemplate(attributes, templateOf);
    },
  };
}

class PodSecurity {
  readonly #parts: PluginParts;
  readonly #settings: Settings;
  readonly #evaluation: Evaluation;
  readonly #prefix: string;
  readonly #metrics: PodSecurityMetrics;
  /** the policies of namespaces, by the namespaces' objects, which are other ones after a write */
  readonly #policies = new WeakMap<ApiObject, JudgedPolicy>();

  constructor(parts: PluginParts) {
    const { identity, release, featureEnabled, configuration } = parts;
    this.#parts = parts;
    this.#metrics = new PodSecurityMetrics(parts.metrics, release);
    this.#settings = settingsOf(configuration('PodSecurity') as PodSecurityConfiguration | undefined);
    this.#prefix = prefixOf(identity);
    const relaxesOwnUsers = featureEnabled('UserNamespacesPodSecurityStandards');
    this.#evaluation = new Evaluation({ identity, release, relaxesOwnUsers });
  }

  /** @throws StatusError Forbidden */
  admitPod(attributes: AdmissionAttributes): void {
    const { object, old, operation, namespace } = attributes;
    if (this.#isExempt(attributes)) return;
    const judged = this.#policyIn(namespace);
    if (judged === undefined) {
      const error = newInternalErrorOf(`failed to lookup namespace ${goQuote(namespace)}`);
      this.#annotate(attributes, 'error', `${error.message}: ${missing(namespace)}`);
      this.#metrics.failed(true, attributes);
      throw error;
    }
    const { policy, errors } = judged;
    if (errors.length === 0 && allowsAll(policy.enforce) && allowsAll(policy.audit) && allowsAll(policy.warn)) {
      this.#annotate(attributes, 'enforce-policy', 'privileged:latest');
      this.#metrics.evaluated('allow', policy.enforce, 'enforce', attributes);
      return;
    }
    if (operation === 'update' && !isSignificant(object as PodParts, old as PodParts, this.#parts.identity.text)) return;
    this.#evaluate(attributes, object as PodParts, judged, true);
  }

  /** Warns about a template of pods, and refuses nothing. @param templateOf returns the template of the object that is written */
  admitTemplate(attributes: AdmissionAttributes, templateOf: (object: ApiObject) => PodParts | undefined): void {
    const { object, namespace } = attributes;
    if (this.#isExempt(attributes)) return;
    const judged = this.#policyIn(namespace);
    if (judged === undefined) {
      this.#annotate(attributes, 'error', `failed to lookup namespace ${goQuote(namespace)}: ${missing(namespace)}`);
      this.#metrics.failed(true, attributes);
      return;
    }
    const { policy, errors } = judged;
    if (errors.length === 0 && allowsAll(policy.audit) && allowsAll(policy.warn)) return;
    const template = templateOf(object as ApiObject);
    if (template !== undefined) this.#evaluate(attributes, template, judged, false);
  }

  /** Wrong labels are refused where they are new; who enforces more hears of pods that break it. @throws StatusError Invalid */
  admitNamespace(attributes: AdmissionAttributes): void | Promise<void> {
    const { object, old, kind, name } = attributes;
    const now = this.#policyOf(object as ApiObject);
    const before = old && this.#policyOf(old);
    if (now.errors.length > 0 && !isSameList(now, before)) throw newInvalid(kind, name, now.errors);
    const { policy } = now;
    if (before !== undefined && (isSame(policy.enforce, before.policy.enforce) || !mayRefuseMore(policy.enforce, before.policy.enforce)))
      return;
    if (this.#settings.exempt.namespaces.has(name)) this.#warnOfNoEffect(attributes, policy);
    else if (before !== undefined) return this.#warnOfPods(attributes, policy.enforce);
  }

  /** Warns about labels without effect, on a namespace whose pods are not checked. */
  #warnOfNoEffect({ request, name, object }: AdmissionAttributes, policy: Policy): void {
    const { defaults } = this.#settings;
    if (MODES.every((mode) => allowsAll(policy[mode])) || MODES.every((mode) => isEquivalent(policy[mode], defaults[mode]))) return;
    const labels = object?.metadata.labels ?? {};
    const isSaid = (mode: Mode): boolean => MEMBERS.some((member) => labels[`${this.#prefix}${mode}${member}`] !== undefined);
    const said = MODES.filter((mode) => !allowsAll(policy[mode]) && isSaid(mode)).map((mode) => `${mode}=${textOf(policy[mode])}`);
    request.warn?.(`namespace ${goQuote(name)} is exempt from Pod Security, and the policy (${said.join(', ')}) will be ignored`);
  }

  async #warnOfPods({ request, name }: AdmissionAttributes, enforce: LevelVersion): Promise<void> {
    const { objects } = this.#parts;
    const exemptRuntimeClasses = this.#settings.exempt.runtimeClasses;
    const existing = { objects, evaluation: this.#evaluation, exemptRuntimeClasses, now: () => performance.now() };
    for (const warning of await warningsOfPods(name, enforce, request, existing)) request.warn?.(warning);
  }

  #evaluate(attributes: AdmissionAttributes, pod: PodParts, { policy, errors }: JudgedPolicy, enforces: boolean): void {
    const { request, resource, name } = attributes;
    const { enforce, audit, warn } = policy;
    if (this.#settings.exempt.runtimeClasses.has(pod.spec?.runtimeClassName ?? '')) {
      this.#exempt(attributes, 'runtimeClass');
      return;
    }
    if (errors.length > 0) {
      this.#annotate(attributes, 'error', `Failed to parse policy: ${errorText(errors)}`);
      this.#metrics.failed(false, attributes);
    }
    const found = new Map<string, string>();
    const detailsAt = (wanted: LevelVersion): string => {
      const key = textOf(wanted);
      const known = found.get(key) ?? detailsOf(this.#evaluation.violations(pod, wanted));
      found.set(key, known);
      return known;
    };
    if (enforces) this.#annotate(attributes, 'enforce-policy', textOf(enforce));
    const recorded = detailsAt(audit);
    if (recorded !== '') {
      this.#annotate(attributes, 'audit-violations', `would ${violation(audit, recorded)}`);
      this.#metrics.evaluated('deny', audit, 'audit', attributes);
    }
    const refused = enforces ? detailsAt(enforce) : '';
    if (enforces) this.#metrics.evaluated(refused === '' ? 'allow' : 'deny', enforce, 'enforce', attributes);
    if (refused !== '') throw newForbidden(resource.groupResource, name, violation(enforce, refused, 'violates'));
    const warned = detailsAt(warn);
    if (warned === '') return;
    request.warn?.(`would ${violation(warn, warned)}`);
    this.#metrics.evaluated('deny', warn, 'warn', attributes);
  }

  #isExempt(attributes: AdmissionAttributes): boolean {
    const { namespaces, users } = this.#settings.exempt;
    const reason = namespaces.has(attributes.namespace) ? 'namespace' : users.has(attributes.user.name) ? 'user' : undefined;
    if (reason !== undefined) this.#exempt(attributes, reason);
    return reason !== undefined;
  }

  #exempt(attributes: AdmissionAttributes, reason: string): void {
    this.#annotate(attributes, 'exempt', reason);
    this.#metrics.exempted(attributes);
  }

  /** @returns undefined for a namespace that is not there */
  #policyIn(namespace: string): JudgedPolicy | undefined {
    const object = this.#parts.objects.shared('namespaces', '', namespace);
    if (object === undefined) return undefined;
    let policy = this.#policies.get(object);
    if (policy === undefined) {
      policy = this.#policyOf(object);
      this.#policies.set(object, policy);
    }
    return policy;
  }

  #policyOf({ metadata }: ApiObject): JudgedPolicy {
    return policyOf(metadata.labels, this.#prefix, this.#settings.defaults);
  }

  #annotate({ request }: AdmissionAttributes, name: string, value: string): void {
    request.annotate(`${this.#prefix}${name}`, value);
  }
}

/** The ends of the names of a mode's labels. */
const MEMBERS = ['', '-version'];

const isEquivalent = (a: LevelVersion, b: LevelVersion): boolean => isSame(a, b) || (allowsAll(a) && allowsAll(b));

const allowsAll = ({ level }: LevelVersion): boolean => level === 'privileged';

const violation = (wanted: LevelVersion, details: string, verb = 'violate'): string =>
  `${verb} PodSecurity "${textOf(wanted)}": ${details}`;

const missing = (namespace: string): string => `namespaces "${namespace}" not found`;

const isSameList = ({ errors }: JudgedPolicy, other: JudgedPolicy | undefined): boolean =>
  other?.errors.length === errors.length &&
  errors.every(({ field, message }, index) => field === other.errors[index]?.field && message === other.errors[index]?.message);

function errorText(errors: JudgedPolicy['errors']): string {
  return aggregateText(errors.map(({ field, message }) => `${field}: ${message}`));
}
