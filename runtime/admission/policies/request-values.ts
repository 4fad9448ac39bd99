/**
 * The values that expressions of policies read of a request. They are made once for each version in which a policy sees it, without
 * copying.
 */
import type { ApiObject } from '../../contract/object.ts';
import { jsonValue } from '../../expressions/values/json-values.ts';
import type { Value } from '../../expressions/values/value.ts';
import { newNotFound } from '../../status/status.ts';
import type { ReadRequest } from '../expressions/expression-pass.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { AuthorizerAnswers, requestResourceCheck } from '../request/authorizer-answers.ts';
import { requestFacts } from '../webhooks/admission-review.ts';
import type { Matched } from '../webhooks/rules.ts';
import { type Versioned, VersionedObjects } from '../webhooks/versioned-objects.ts';
import type { DispatcherParts } from './dispatcher-parts.ts';

export type ValueParts = Pick<DispatcherParts, 'identity' | 'authorizer' | 'objects'>;

/** A request as a policy sees it. */
export interface SeenRequest extends ReadRequest {
  readonly versioned: Versioned;
}

export class RequestValues {
  readonly answers: AuthorizerAnswers;
  readonly #attributes: AdmissionAttributes;
  readonly #parts: ValueParts;
  readonly #versions: VersionedObjects;
  /** by the resource with its version, and the kind as which it is seen */
  readonly #seen = new Map<string, Seen>();
  #namespace: Value | undefined;

  constructor(attributes: AdmissionAttributes, parts: ValueParts) {
    this.answers = new AuthorizerAnswers(parts.authorizer, attributes);
    this.#attributes = attributes;
    this.#parts = parts;
    this.#versions = new VersionedObjects(attributes);
  }

  get versions(): VersionedObjects {
    return this.#versions;
  }

  /** @throws what the conversion throws */
  of(matched: Matched): SeenRequest | Promise<SeenRequest> {
    const key = `${matched.resource.apiVersion} ${matched.resource.data.name} ${matched.kind.group}/${matched.kind.version} ${matched.kind.kind}`;
    return this.#seen.get(key) ?? this.#make(key, matched);
  }

  async #make(key: string, matched: Matched): Promise<SeenRequest> {
    const versioned = await this.#versions.of(matched.kind);
    const made = new Seen(this, versioned, () => jsonValue(requestFacts(this.#attributes, matched, this.#parts.identity)));
    this.#seen.set(key, made);
    return made;
  }

  /** Must be called after the object has changed. */
  forget(): void {
    this.#versions.forget();
    this.#seen.clear();
  }

  get requestResource(): Value {
    return requestResourceCheck(this.answers.value, this.#attributes);
  }

  /** The namespace of the object; null for an object without one. @throws StatusError NotFound */
  get namespace(): Value {
    this.#namespace ??= jsonValue(this.#namespaceObject());
    return this.#namespace;
  }

  #namespaceObject(): object | null {
    const { namespace, kind } = this.#attributes;
    if (namespace === '' || (kind.kind === 'Namespace' && kind.group === '')) return null;
    const found = this.#parts.objects.shared('namespaces', '', namespace);
    if (found === undefined) throw newNotFound({ group: '', resource: 'namespaces' }, namespace);
    return shownNamespace(found);
  }
}

/** The metadata of a namespace that 1.32 shows to expressions. */
const SHOWN = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
] as const;

function shownNamespace({ metadata, spec, status }: ApiObject): object {
  const shown = SHOWN.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]] as const]));
  return { metadata: Object.fromEntries(shown), spec, status };
}

class Seen implements SeenRequest {
  readonly versioned: Versioned;
  readonly #values: RequestValues;
  readonly #makeRequest: () => Value;
  #request: Value | undefined;
  readonly #object: Value;
  readonly #oldObject: Value;

  constructor(values: RequestValues, versioned: Versioned, makeRequest: () => Value) {
    this.versioned = versioned;
    this.#values = values;
    this.#makeRequest = makeRequest;
    this.#object = jsonValue(versioned.shown);
    this.#oldObject = jsonValue(versioned.old);
  }

  read(variable: string): Value | undefined {
    switch (variable) {
      case 'object':
        return this.#object;
      case 'oldObject':
        return this.#oldObject;
      case 'request':
        this.#request ??= this.#makeRequest();
        return this.#request;
      case 'namespaceObject':
        return this.#values.namespace;
      case 'authorizer':
        return this.#values.answers.value;
      case 'authorizer.requestResource':
        return this.#values.requestResource;
      default:
        return undefined;
    }
  }
}
