/** ImagePolicyWebhook: a service of its own says of each pod whether the images may be used. */
import type { ImageReviewStatus } from '../../../generated/imagepolicy/v1alpha1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import { qualifiedName } from '../../formats/labels.ts';
import type { ImagePolicyBackend } from '../image-policy/backend.ts';
import type { ImagePolicySettings } from '../image-policy/configuration.ts';
import { DOMAIN, reviewSpec } from '../image-policy/review.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { bringsPod, forbidden } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { noteCall } from '../webhooks/called-webhooks.ts';

const NAME = 'ImagePolicyWebhook';
/** @throws Error without a configuration */
export function imagePolicyWebhook(parts: PluginParts): AdmissionPlugin {
  const settings = parts.configuration(NAME) as ImagePolicySettings | undefined;
  if (settings === undefined) throw new Error(`${NAME}: imagePolicy: Required value: no configuration file says which webhook is asked`);
  const policy = new ImagePolicy(parts, settings);
  return {
    validate(attributes) {
      const { operation } = attributes;
      if ((operation !== 'create' && operation !== 'update') || !bringsPod(attributes)) return;
      return policy.admit(attributes);
    },
    close: () => policy.close(),
  };
}

class ImagePolicy {
  readonly #parts: PluginParts;
  readonly #settings: ImagePolicySettings;
  readonly #prefix: string;
  readonly #failedOpen: string;
  #backend: ImagePolicyBackend | undefined;

  constructor(parts: PluginParts, settings: ImagePolicySettings) {
    const { text } = parts.identity;
    this.#parts = parts;
    this.#settings = settings;
    this.#prefix = `${NAME.toLowerCase()}.${text(DOMAIN)}/`;
    this.#failedOpen = `alpha.${text(DOMAIN)}/failed-open`;
  }

  /** @throws StatusError Forbidden */
  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { request } = attributes;
    const status = await this.#answer(attributes);
    if (status === undefined) return;
    const { auditAnnotations = {} } = status;
    for (const key in auditAnnotations) {
      const full = `${this.#prefix}${key}`;
      if (qualifiedName(full).length === 0) request.annotate(full, auditAnnotations[key] as string);
    }
    if (status.allowed) return;
    throw forbidden(
      attributes,
      status.reason
        ? `image policy webhook backend denied one or more images: ${status.reason}`
        : 'one or more images rejected by webhook backend',
    );
  }

  /** @returns undefined where nobody has answered, and that is no reason to refuse. @throws StatusError */
  async #answer(attributes: AdmissionAttributes): Promise<ImageReviewStatus | undefined> {
    const { request, object } = attributes;
    const backend = await this.#loaded();
    const ended = noteCall(request, 'the image policy webhook');
    const answer = await backend.ask(reviewSpec(attributes, this.#parts.identity), request).finally(ended);
    if (!('unanswered' in answer)) return answer;
    request.throwIfOver();
    if (!this.#settings.defaultAllow) throw forbidden(attributes, answer.unanswered.message);
    this.#parts.log.warn({ problem: answer.unanswered.message }, 'the image policy webhook has not been asked, and all images are allowed');
    request.annotate(`${this.#prefix}failed-open`, 'true');
    // the only thing that a plugin changes in this phase, as in 1.32: who looks at the pod sees it
    const { metadata } = object as ApiObject;
    metadata.annotations = { ...metadata.annotations, [this.#failedOpen]: 'true' };
    return undefined;
  }

  async #loaded(): Promise<ImagePolicyBackend> {
    if (this.#backend !== undefined) return this.#backend;
    const loaded = await import('../image-policy/backend.ts');
    const { identity, mayTakeLong, metrics } = this.#parts;
    const settings = { ...this.#settings, peer: { ...this.#settings.peer, metrics } };
    this.#backend ??= new loaded.ImagePolicyBackend(settings, identity, mayTakeLong);
    return this.#backend;
  }

  close(): void {
    this.#backend?.close();
  }
}
