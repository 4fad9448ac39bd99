import type { ApiObject } from '../../runtime/contract/object.ts';
import { type ObjectIdentity, ObjectLookup } from '../../runtime/registry/stored-objects/object-lookup.ts';

/** Objects as if they were stored, by `prefix/namespace/name`; a test changes what is there. */
export class TestObjects extends ObjectLookup {
  readonly stored = new Map<string, ApiObject>();
  constructor() {
    super(undefined as never, []);
  }
  override get(prefix: string, namespace: string, name: string): ApiObject | undefined {
    return this.stored.get([prefix, namespace, name].filter((part) => part !== '').join('/'));
  }
  override shared(prefix: string, namespace: string, name: string): ApiObject | undefined {
    return this.get(prefix, namespace, name);
  }
  override parts(prefix: string, namespace: string, name: string): ApiObject | undefined {
    return this.get(prefix, namespace, name);
  }
  override identity(prefix: string, namespace: string, name: string): ObjectIdentity | undefined {
    return this.get(prefix, namespace, name)?.metadata;
  }
  /** @returns what is stored now */
  put(key: string, members: object = {}, metadata: object = {}): ApiObject {
    const parts = key.split('/');
    const [name = '', namespace] = [parts.at(-1), parts.length === 3 ? parts[1] : undefined];
    const object = {
      kind: '',
      apiVersion: 'v1',
      metadata: { name, ...(namespace && { namespace }), uid: `uid-of-${name}`, ...metadata },
      ...members,
    };
    this.stored.set(key, object);
    return object;
  }
}

export const kubernetesText = (template: string): string =>
  template
    .replace('${groupDomain}', 'k8s.io')
    .replace('${labelDomain}', 'kubernetes.io')
    .replace('${mediaProduct}', 'kubernetes')
    .replace('${systemNamespace}', 'kube-system');
