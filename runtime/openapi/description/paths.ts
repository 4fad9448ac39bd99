/** Describes the paths of a group version by the rules of 1.32. */
import type { ResourceData, Verb } from '../../contract/kind.ts';
import type { Method, Operation, PathItem } from '../document.ts';
import { Operations, type OperationsInput, type Scope } from './operations.ts';
import { pathItem } from './parameters.ts';

/** The paths of a group version, including its discovery. @returns sorted by path */
export function pathsOfVersion(input: OperationsInput, resources: readonly ResourceData[]): Record<string, PathItem> {
  const builder = new PathsBuilder(input);
  builder.addVersion();
  for (const resource of resources) builder.addResource(resource);
  return builder.finish();
}

/** The paths of one resource of a group version. @returns sorted by path */
export function pathsOfResource(input: OperationsInput, resource: ResourceData): Record<string, PathItem> {
  const builder = new PathsBuilder(input);
  builder.addResource(resource);
  return builder.finish();
}

const CONNECTION_METHODS: Readonly<Partial<Record<Verb, Method>>> = {
  create: 'post',
  delete: 'delete',
  get: 'get',
  patch: 'patch',
  update: 'put',
};

class PathsBuilder {
  readonly #operations: Operations;
  readonly #root: string;
  readonly #isCustom: boolean;
  readonly #paths = new Map<string, Partial<Record<Method, Operation>>>();

  constructor(input: OperationsInput) {
    this.#operations = new Operations(input);
    this.#isCustom = input.isCustom;
    this.#root = input.group === '' ? `/api/${input.version}` : `/apis/${input.group}/${input.version}`;
  }

  finish(): Record<string, PathItem> {
    const sorted = [...this.#paths].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([path, operations]) => [path, pathItem(operations)]));
  }

  addVersion(): void {
    this.#add(`${this.#root}/`, 'get', this.#operations.discover());
  }

  addResource(resource: ResourceData): void {
    const namespaced = resource.scope === 'Namespaced';
    const scope: Scope = { resource, namespaced };
    const place = namespaced ? `namespaces/{namespace}/${resource.name}` : resource.name;
    this.#addCollection(place, scope);
    if (namespaced) this.#addLists(resource.name, { resource, namespaced: false, allNamespaces: true });
    this.#addItem(`${this.#root}/${place}/{name}`, scope, resource.verbs);
    if (!this.#isCustom && resource.verbs.includes('watch'))
      this.#add(`${this.#root}/watch/${place}/{name}`, 'get', this.#operations.watch(scope));
    for (const subresource of resource.subresources) {
      const path = `${this.#root}/${place}/{name}/${subresource.name}`;
      // Subresources with an option kind connect to something behind the object, such as a container or a port.
      if (subresource.kind !== resource.kind && subresource.kind.endsWith('Options'))
        this.#addConnection(path, { ...scope, subresource }, subresource.verbs);
      else this.#addSubresource(path, { ...scope, subresource }, subresource.verbs);
    }
  }

  #addCollection(place: string, scope: Scope): void {
    const { verbs } = scope.resource;
    const path = `${this.#root}/${place}`;
    this.#addLists(place, scope);
    if (verbs.includes('create')) this.#add(path, 'post', this.#operations.create(scope));
    if (verbs.includes('deletecollection')) this.#add(path, 'delete', this.#operations.deleteCollection(scope));
  }

  #addLists(place: string, scope: Scope): void {
    const { verbs } = scope.resource;
    if (!verbs.includes('list')) return;
    const watch = verbs.includes('watch');
    this.#add(`${this.#root}/${place}`, 'get', this.#operations.list(scope, watch));
    if (watch && !this.#isCustom) this.#add(`${this.#root}/watch/${place}`, 'get', this.#operations.watchList(scope));
  }

  #addItem(path: string, scope: Scope, verbs: readonly Verb[]): void {
    if (verbs.includes('get')) this.#add(path, 'get', this.#operations.read(scope));
    if (verbs.includes('update')) this.#add(path, 'put', this.#operations.replace(scope));
    if (verbs.includes('patch')) this.#add(path, 'patch', this.#operations.patch(scope));
    if (verbs.includes('delete')) this.#add(path, 'delete', this.#operations.delete(scope));
  }

  #addSubresource(path: string, scope: Scope, verbs: readonly Verb[]): void {
    this.#addItem(path, scope, verbs);
    if (verbs.includes('create')) this.#add(path, 'post', this.#operations.create(scope));
  }

  /** If the options have a path, the connection accepts every method, and every path below it. */
  #addConnection(path: string, scope: Scope, verbs: readonly Verb[]): void {
    const proxy = this.#operations.connectionOptions(scope).some(({ name }) => name === 'path');
    const methods = verbs.map((verb) => CONNECTION_METHODS[verb]).filter((method) => method !== undefined);
    if (proxy) methods.push('head', 'options');
    for (const method of methods) {
      this.#add(path, method, this.#operations.connect(scope, method, false));
      if (proxy) this.#add(`${path}/{path}`, method, this.#operations.connect(scope, method, true));
    }
  }

  #add(path: string, method: Method, operation: Operation): void {
    const operations = this.#paths.get(path) ?? {};
    operations[method] = operation;
    this.#paths.set(path, operations);
  }
}
