/** Describes the operations of one resource or subresource, by the rules of 1.32 for each verb. */
import type { ResourceData, SubresourceData } from '../../contract/kind.ts';
import {
  type Content,
  content,
  type GroupVersionKind,
  META_PACKAGE,
  type Method,
  type Operation,
  type Parameter,
  type Schema,
  schemaReference,
} from '../document.ts';
import { capitalized, type OperationNames, operationNames } from './operation-names.ts';
import {
  deleteCollectionParameters,
  membersAsParameters,
  NAMESPACE,
  nameParameter,
  optionParameters,
  PRETTY,
  readParameters,
  type SchemaLookup,
  SUBPATH,
} from './parameters.ts';

/** The data from which operations of a group version are made. */
export interface OperationsInput {
  /** empty for the core group */
  readonly group: string;
  readonly version: string;
  /** domain of this server's groups, or its placeholder */
  readonly groupDomain: string;
  /** media types of objects, such as `application/json` */
  readonly mediaTypes: readonly string[];
  /** returns the definition name of a kind */
  readonly definition: (kind: GroupVersionKind) => string;
  /** returns the definition name of the kind of a resource's lists */
  readonly listDefinition: (resource: ResourceData) => string;
  /** published schemas, including those of option kinds */
  readonly schemas: SchemaLookup;
  /**
   * Whether these are custom resources. As in 1.32 their watches have no paths and media types of their own, there are no strategic merge
   * patches (kubectl sends them if they are listed), and more is said of some operations, of others less.
   */
  readonly isCustom: boolean;
}

/** The resource or subresource that an operation is about. */
export interface Scope {
  readonly resource: ResourceData;
  readonly subresource?: SubresourceData | undefined;
  /** whether the path contains a namespace */
  readonly namespaced: boolean;
  /** whether the operation covers a namespaced resource in all namespaces */
  readonly allNamespaces?: boolean;
}

const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const PATCH_TYPES = [...['apply-patch+yaml', 'json-patch+json', 'merge-patch+json'].map((type) => `application/${type}`), STRATEGIC_PATCH];
const STREAM = ';stream=watch';
const WATCH_HINT = 'Deprecated: list with the parameter `watch` instead';

export class Operations {
  readonly #input: OperationsInput;
  readonly #names: OperationNames;
  /** media types of lists and watches; YAML cannot be streamed */
  readonly #streamTypes: readonly string[];

  constructor(input: OperationsInput) {
    this.#input = input;
    this.#names = operationNames(input.group, input.version, input.groupDomain);
    const streamed = input.isCustom ? [] : input.mediaTypes.filter((type) => !type.endsWith('yaml'));
    this.#streamTypes = [...input.mediaTypes, ...streamed.map((type) => type + STREAM)];
  }

  /** The operation that lists the resources of the version. */
  discover(): Operation {
    return {
      description: 'Names the resources of this version.',
      operationId: this.#names.id('get', 'APIResources'),
      tags: [this.#names.tag],
      responses: responses({ 200: this.#object(meta('APIResourceList')) }),
    };
  }

  /** @param watch whether the operation can watch, too */
  list(scope: Scope, watch: boolean): Operation {
    const schema = schemaReference(this.#input.listDefinition(scope.resource));
    return {
      ...this.#operation(scope, 'list', 'list', `Lists ${watch ? 'or watches ' : ''}objects of kind ${scope.resource.kind}.`),
      parameters: [...this.#place(scope), ...this.#options('ListOptions')],
      responses: responses({ 200: content(this.#streamTypes, schema) }),
    };
  }

  watchList(scope: Scope): Operation {
    const description = `Watches all objects of kind ${scope.resource.kind} that a list would show. ${WATCH_HINT}.`;
    return {
      ...this.#operation(scope, 'watch', 'watchlist', description, `${word(scope)}${scope.resource.kind}List${suffix(scope)}`),
      parameters: [...this.#place(scope), ...this.#options('ListOptions')],
      responses: responses({ 200: content(this.#streamTypes, meta('WatchEvent')) }),
    };
  }

  watch(scope: Scope): Operation {
    const description = `Watches one ${scope.resource.kind}. ${WATCH_HINT}, and a field selector for its name.`;
    return {
      ...this.#operation(scope, 'watch', 'watch', description),
      parameters: [...this.#item(scope), ...this.#options('ListOptions')],
      responses: responses({ 200: content(this.#streamTypes, meta('WatchEvent')) }),
    };
  }

  read(scope: Scope): Operation {
    const own = this.#textOptions(scope);
    const types = own === undefined ? this.#input.mediaTypes : [...this.#input.mediaTypes, 'text/plain'];
    const schema = own === undefined ? this.#kindReference(scope) : { type: 'string' };
    return {
      ...this.#operation(scope, 'read', 'get', `Reads ${part(scope)}one ${scope.resource.kind}.`),
      parameters: [...this.#item(scope), ...(own ?? []), ...(this.#input.isCustom ? readParameters(this.#input.schemas) : [])],
      responses: responses({ 200: content(types, schema) }),
    };
  }

  create(scope: Scope): Operation {
    const schema = this.#kindReference(scope);
    const { resource, subresource } = scope;
    const description = subresource === undefined ? resource.kind : `${subresource.kind} for one ${resource.kind}`;
    return {
      ...this.#operation(scope, 'create', 'post', `Creates an object of kind ${description}.`),
      parameters: [...(subresource === undefined ? this.#place(scope) : this.#item(scope)), ...this.#options('CreateOptions')],
      requestBody: { content: this.#body(schema), required: true },
      responses: responses({ 200: this.#object(schema), 201: this.#object(schema), 202: this.#object(schema) }),
    };
  }

  replace(scope: Scope): Operation {
    const schema = this.#kindReference(scope);
    return {
      ...this.#operation(scope, 'replace', 'put', `Replaces ${part(scope)}one ${scope.resource.kind}.`),
      parameters: [...this.#item(scope), ...this.#options('UpdateOptions')],
      requestBody: { content: this.#body(schema), required: true },
      responses: responses({ 200: this.#object(schema), 201: this.#object(schema) }),
    };
  }

  patch(scope: Scope): Operation {
    const schema = this.#kindReference(scope);
    const answer = this.#object(schema);
    return {
      ...this.#operation(scope, 'patch', 'patch', `Changes members of ${part(scope)}one ${scope.resource.kind}.`),
      parameters: [...this.#item(scope), ...this.#options('PatchOptions')],
      requestBody: { content: content(this.#patchTypes(), meta('Patch')), required: true },
      responses: responses(this.#input.isCustom ? { 200: answer } : { 200: answer, 201: answer }),
    };
  }

  #patchTypes(): readonly string[] {
    return this.#input.isCustom ? PATCH_TYPES.filter((type) => type !== STRATEGIC_PATCH) : PATCH_TYPES;
  }

  delete(scope: Scope): Operation {
    const schema = scope.resource.deleteAnswers === 'object' ? this.#kindReference(scope) : meta('Status');
    return {
      ...this.#operation(scope, 'delete', 'delete', `Deletes ${part(scope)}one ${scope.resource.kind}.`),
      parameters: [...this.#item(scope), ...this.#options('DeleteOptions')],
      requestBody: { content: this.#body(meta('DeleteOptions')) },
      responses: responses({ 200: this.#object(schema), 202: this.#object(schema) }),
    };
  }

  deleteCollection(scope: Scope): Operation {
    const description = `Deletes all objects of kind ${scope.resource.kind} that a list would show.`;
    const { isCustom, schemas } = this.#input;
    return {
      ...this.#operation(scope, 'delete', 'deletecollection', description, `Collection${word(scope)}${scope.resource.kind}`),
      parameters: [...this.#place(scope), ...(isCustom ? this.#options('ListOptions') : deleteCollectionParameters(schemas))],
      ...(!isCustom && { requestBody: { content: this.#body(meta('DeleteOptions')) } }),
      responses: responses({ 200: this.#object(meta('Status')) }),
    };
  }

  /** @param below whether the operation passes on a path below the subresource */
  connect(scope: Scope, method: Method, below: boolean): Operation {
    const description = `Connects a ${method.toUpperCase()} request to ${part(scope)}one ${scope.resource.kind}.`;
    const rest = `${capitalized(method)}${word(scope)}${scope.resource.kind}${subresourceWord(scope)}${below ? 'WithPath' : ''}`;
    const [name, namespace] = this.#item(scope).filter((parameter) => parameter !== PRETTY);
    const place = [name, namespace, below ? SUBPATH : undefined].filter((parameter) => parameter !== undefined);
    return {
      ...this.#operation(scope, 'connect', 'connect', description, rest),
      parameters: [...place, ...this.connectionOptions(scope)],
      responses: responses({ 200: content(['*/*'], { type: 'string' }) }),
    };
  }

  connectionOptions(scope: Scope): Parameter[] {
    return membersAsParameters(this.#input.definition(this.#kindOf(scope)), this.#input.schemas);
  }

  /** The options of a subresource that answers with text. Such a subresource has an option kind besides its kind, such as PodLogOptions. */
  #textOptions({ resource, subresource }: Scope): Parameter[] | undefined {
    if (subresource === undefined) return undefined;
    const { group, version } = this.#input;
    const definition = this.#input.definition({ group, version, kind: `${resource.kind}${capitalized(subresource.name)}Options` });
    return this.#input.schemas(definition) && membersAsParameters(definition, this.#input.schemas);
  }

  /** @param rest the identifier's part after verb, group and version */
  #operation(scope: Scope, verb: string, action: string, description: string, rest?: string): Omit<Operation, 'responses'> {
    return {
      description,
      operationId: this.#names.id(verb, rest ?? `${word(scope)}${scope.resource.kind}${subresourceWord(scope)}${suffix(scope)}`),
      tags: [this.#names.tag],
      'x-kubernetes-action': action,
      // as in 1.32, where `scale` of a custom resource is said to be of the resource's kind
      'x-kubernetes-group-version-kind': this.#kindOf(this.#input.isCustom ? { ...scope, subresource: undefined } : scope),
    };
  }

  #kindOf({ resource, subresource }: Scope): GroupVersionKind {
    const { group = this.#input.group, version = this.#input.version } = subresource ?? {};
    return { group, kind: (subresource ?? resource).kind, version };
  }

  #kindReference(scope: Scope): Schema {
    return schemaReference(this.#input.definition(this.#kindOf(scope)));
  }

  #body(schema: Schema): Content {
    return content(this.#input.isCustom ? this.#input.mediaTypes : ['*/*'], schema);
  }

  #object(schema: Schema): Content {
    return content(this.#input.mediaTypes, schema);
  }

  #options(kind: Parameters<typeof optionParameters>[0]): Parameter[] {
    return optionParameters(kind, this.#input.schemas);
  }

  /** parameters of a collection */
  #place(scope: Scope): Parameter[] {
    return scope.namespaced ? [NAMESPACE, PRETTY] : [PRETTY];
  }

  #item(scope: Scope): Parameter[] {
    return [nameParameter(scope.resource.kind), ...this.#place(scope)];
  }
}

const ANSWERS: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' };

/** Adds the status 401, with which every operation may answer. */
export function responses(byStatus: Readonly<Record<number, Content>>): Operation['responses'] {
  const answers = Object.entries(byStatus).map(([status, content]) => [status, { description: ANSWERS[status] ?? '', content }]);
  return Object.fromEntries([...answers, ['401', { description: ANSWERS['401'] }]]);
}

function meta(kind: string): Schema {
  return schemaReference(`${META_PACKAGE}.${kind}`);
}

function word(scope: Scope): string {
  return scope.namespaced ? 'Namespaced' : '';
}

function suffix(scope: Scope): string {
  return scope.allNamespaces === true ? 'ForAllNamespaces' : '';
}

function subresourceWord({ subresource }: Scope): string {
  return subresource === undefined ? '' : capitalized(subresource.name);
}

function part({ subresource }: Scope): string {
  return subresource === undefined ? '' : `\`${subresource.name}\` of `;
}
