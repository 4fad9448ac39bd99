/** The admission of what one request does: the only place that calls the phases, whatever the verb and whoever asks. */
import type { ApiObject } from '../contract/object.ts';
import type { WriteCondition } from '../registry/resource-store/write-condition.ts';
import type { MemberPath } from '../schema/emptied-members.ts';
import type { GroupResource } from '../status/status.ts';
import { settleManagedFields } from './request/admitted-managed-fields.ts';
import type { Admission, AdmissionAttributes, SentEmpty } from './request/attributes.ts';

/** All that is known before the object is. */
export type Operated = Omit<AdmissionAttributes, 'object' | 'old' | 'sentEmpty'>;

const isNamespaces = ({ group, resource }: GroupResource): boolean => group === '' && resource === 'namespaces';

export class ObjectAdmission {
  readonly #admission: Admission;
  readonly #operated: Operated;
  /** the name that a new object was sent with: as in 1.32 it is the request's, whatever the object is called when it has been changed */
  #sentName = '';
  #sentEmpty: SentEmpty | undefined;

  constructor(admission: Admission, operated: Operated) {
    this.#admission = admission;
    this.#operated = operated;
  }

  /**
   * May change `object`.
   * @param emptied where the client has sent empty lists and maps that are null in `object`, in the version of the request
   * @returns a promise where it waits for something
   * @throws StatusError, also where the request's time is over then; a promise rejects with it
   */
  mutate(
    object: ApiObject | undefined,
    old: ApiObject | undefined,
    emptied?: readonly MemberPath[] | undefined,
  ): Promise<void> | undefined {
    this.#sentEmpty = { paths: emptied ?? [] };
    this.#sentName = object?.metadata?.name ?? '';
    const before = object?.metadata?.managedFields;
    const settle = (): undefined => {
      if (object?.metadata?.managedFields === before) return;
      const warning = settleManagedFields(object as ApiObject, before);
      if (warning !== undefined) this.#operated.request.warn?.(warning);
    };
    const mutating = this.#timed(() => this.#admission.mutate(this.#attributes(object, old)));
    return mutating === undefined ? settle() : mutating.then(settle);
  }

  /**
   * @param isReset whether the write leaves a member as it was, whatever the client has sent of it
   * @returns what it has counted on, should that change before the object is stored; as `mutate` does
   * @throws StatusError as `mutate` does
   */
  validate(
    object: ApiObject | undefined,
    old: ApiObject | undefined,
    isReset?: (path: MemberPath) => boolean,
  ): WriteCondition | undefined | Promise<WriteCondition | undefined> {
    const sentEmpty = this.#sentEmpty;
    if (sentEmpty !== undefined && isReset !== undefined) sentEmpty.paths = sentEmpty.paths.filter((path) => !isReset(path));
    return this.#timed(() => this.#admission.validate(this.#attributes(object, old)));
  }

  /** The same with other options than those that were stated. */
  taking(options: Partial<Operated['options']>): ObjectAdmission {
    return new ObjectAdmission(this.#admission, { ...this.#operated, options: { ...this.#operated.options, ...options } });
  }

  /** Both phases, for what has no object that could change between them. @throws StatusError */
  async admit(object: ApiObject | undefined, old: ApiObject | undefined): Promise<void> {
    await this.mutate(object, old);
    await this.validate(object, old);
  }

  #attributes(object: ApiObject | undefined, old: ApiObject | undefined): AdmissionAttributes {
    const name = this.#operated.name || this.#sentName || (object?.metadata?.name ?? '');
    return {
      ...this.#operated,
      namespace: this.#namespaceOf(name),
      name,
      object,
      old,
      ...(this.#sentEmpty && { sentEmpty: this.#sentEmpty }),
    };
  }

  /** A namespace is in itself, one that is created too. */
  #namespaceOf(name: string): string {
    const { namespace, resource } = this.#operated;
    return namespace === '' && isNamespaces(resource.groupResource) ? name : namespace;
  }

  #timed<T>(phase: () => T | Promise<T>): T | Promise<T> {
    const { request } = this.#operated;
    const began = performance.now();
    let outcome: T | Promise<T> | undefined;
    try {
      outcome = phase();
    } finally {
      if (!(outcome instanceof Promise)) request.took('admission', performance.now() - began);
    }
    if (outcome instanceof Promise) return this.#timedUntil(outcome, began);
    request.throwIfOver();
    return outcome;
  }

  async #timedUntil<T>(phase: Promise<T>, began: number): Promise<T> {
    const { request } = this.#operated;
    let outcome: T;
    try {
      outcome = await phase;
    } finally {
      request.took('admission', performance.now() - began);
    }
    request.throwIfOver();
    return outcome;
  }
}
