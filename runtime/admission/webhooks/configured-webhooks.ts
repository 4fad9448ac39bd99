/** Webhooks of all configurations of one kind, at the store's own revision, and which of them a request may be for. */
import type { MutatingWebhook, ValidatingWebhook } from '../../../generated/admissionregistration/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { FollowedObjects } from '../../registry/stored-objects/followed-objects.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { ByRequestShape, type RequestShape } from '../request/by-request-shape.ts';
import { type Matched, matchedBy } from './rules.ts';

/** A webhook as its configuration states it. Members that only mutating webhooks have are absent in others. */
export type WebhookSpec = ValidatingWebhook & Partial<MutatingWebhook>;

export class Webhook {
  readonly configuration: string;
  /** a text that distinguishes it from all others of its kind, even from those with the same name */
  readonly id: string;
  readonly spec: WebhookSpec;
  /** its address and the authorities that it is trusted by, as a text, which is the same for webhooks that may share connections */
  readonly place: string;

  constructor(configuration: string, index: number, spec: WebhookSpec) {
    this.configuration = configuration;
    this.id = `${configuration}/${spec.name}/${index}`;
    this.spec = spec;
    this.place = JSON.stringify(spec.clientConfig);
  }

  get name(): string {
    return this.spec.name;
  }

  get failsOpen(): boolean {
    return this.spec.failurePolicy === 'Ignore';
  }
}

/** A webhook whose rules are for a request, and what of it the webhook is to see. */
export interface Candidate extends Matched {
  readonly webhook: Webhook;
  /** its place among all webhooks of its kind, those that the request is not for among them */
  readonly index: number;
}

const NONE: readonly Candidate[] = [];

/** All configurations of one kind. */
export type Configurations = Pick<FollowedObjects, 'changes'> & { in(namespace: string): readonly ApiObject[] };

export class ConfiguredWebhooks {
  readonly #followed: Configurations;
  /** is called with all webhooks each time that they change */
  readonly #onChange: (webhooks: readonly Webhook[]) => void;
  /** the webhooks by the objects that state them */
  readonly #made = new WeakMap<ApiObject, readonly Webhook[]>();
  #changes: number | undefined;
  #webhooks: readonly Webhook[] = [];
  /** the webhooks for requests of a shape; they are kept until a configuration changes */
  readonly #candidates = new ByRequestShape((shape) => this.#candidatesOf(shape));

  constructor(followed: Configurations, onChange: (webhooks: readonly Webhook[]) => void) {
    this.#followed = followed;
    this.#onChange = onChange;
  }

  /**
   * The webhooks whose rules a request meets, in the order of their configurations' names, then as a configuration lists them. Costs the same however many
   * webhooks there are, but for the first request of its shape after a change.
   */
  candidates(attributes: AdmissionAttributes): readonly Candidate[] {
    this.#refresh();
    if (this.#webhooks.length === 0 || attributes.resource.data.unseenBy?.includes('webhooks')) return NONE;
    return this.#candidates.of(attributes);
  }

  #candidatesOf(shape: RequestShape): readonly Candidate[] {
    return this.#webhooks.flatMap((webhook, index) => {
      const matched = matchedBy(webhook.spec, shape);
      return matched === undefined ? [] : [{ webhook, index, ...matched }];
    });
  }

  #refresh(): void {
    const { changes } = this.#followed;
    if (changes === this.#changes) return;
    const configurations = [...this.#followed.in('')].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    this.#webhooks = configurations.flatMap((each) => this.#of(each));
    this.#candidates.forget();
    this.#changes = changes;
    this.#onChange(this.#webhooks);
  }

  #of(configuration: ApiObject): readonly Webhook[] {
    const known = this.#made.get(configuration);
    if (known !== undefined) return known;
    const specs: readonly WebhookSpec[] = configuration.webhooks ?? [];
    const made = specs.map((spec, index) => new Webhook(configuration.metadata.name ?? '', index, spec));
    this.#made.set(configuration, made);
    return made;
  }
}
