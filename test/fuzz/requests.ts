/** Requests that a seed makes: most of them nearly right, so that they come far. */
import { stringify } from 'yaml';
import type { Verb } from '../../runtime/contract/kind.ts';
import { isObject, type JsonObject } from '../../runtime/schema/json/member.ts';
import { encodeProtobuf } from '../../runtime/schema/protobuf/encode.ts';
import { wrapEnvelope } from '../../runtime/schema/protobuf/envelope.ts';
import { generationOf } from './custom-resources.ts';
import { Random } from './random.ts';
import { type Model, NAMESPACES, type Target } from './targets.ts';
import { anyValue, enlarged, spoiled, spoiledBytes, TEXTS } from './values.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** whether another server answers, which may be silent or not there */
  readonly relayed: boolean;
  /** whether it is about a custom resource, or the definition of one */
  readonly custom: boolean;
}

/** Characters of a body: beyond what is read the rest is not worth sending. */
const LARGEST = 4_000_000;
const RELAYED = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
const QUERY: Readonly<Record<string, readonly string[]>> = {
  limit: ['1', '0', '-1', '9007199254740993'],
  continue: ['', 'x', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0'],
  resourceVersion: ['0', '1', '-1', 'x', '18446744073709551616'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
  labelSelector: ['a=b', 'a in (b,c),!d', 'a in (', '=', 'a==b,,'],
  fieldSelector: ['metadata.name=a', 'spec.nodeName!=b', 'x=y', 'metadata.name=a,metadata.name=b', '\\'],
  watch: ['1', 'true', 'x', '0'],
  timeoutSeconds: ['1', '0', '-1', '1e9'],
  allowWatchBookmarks: ['1', 'x'],
  sendInitialEvents: ['true', 'false'],
  dryRun: ['All', '', 'x'],
  fieldManager: ['fuzz', '', 'x'.repeat(200), '\u0000'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  force: ['true', 'x'],
  pretty: ['1', 'true', 'x'],
  gracePeriodSeconds: ['0', '-1', '9223372036854775807'],
  propagationPolicy: ['Orphan', 'Foreground', 'x'],
  orphanDependents: ['true', 'x'],
  includeObject: ['None', 'Object', 'x'],
  command: ['ls', ''],
  container: ['a'],
  path: ['/', '//', '../x'],
};
const ACCEPTED = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'text/html',
  '*/*;q=0.1,application/json;as=Table;v=v2;g=x',
  ';;;',
  '',
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'accept-encoding': ['gzip', 'gzip;q=0', 'br', '*'],
  'if-match': ['"1"', '*', 'x'],
  'if-none-match': ['"x"', '*'],
  'impersonate-user': ['fuzz', 'system:serviceaccount:a:b', ''],
  'impersonate-group': ['system:masters'],
  'impersonate-extra-a%zz': ['x'],
  origin: ['https://example.com', 'null', 'x'],
  range: ['bytes=0-1'],
  expect: ['x'],
  'x-http-method-override': ['DELETE'],
  'content-encoding': ['gzip', 'identity'],
  'x-forwarded-for': ['::1'],
  cookie: ['a=b'],
};
const ELSEWHERE = [
  '/',
  '/api',
  '/apis',
  '/apis/apps',
  '/api/v1',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/openapi/v3/apis/apps/v1',
  '/version',
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/logs',
  '/swagger.json',
  '/apis/x.y/v1/z',
  '/api/v1/watch/pods',
  '/api/v1/watch/namespaces/default/configmaps/a',
  '/api/v1/proxy/nodes/a',
  '/debug/pprof',
];
const METHOD_OF: Readonly<Record<Verb, string>> = {
  create: 'POST',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  get: 'GET',
  list: 'GET',
  patch: 'PATCH',
  update: 'PUT',
  watch: 'GET',
};
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'];

/** The same for the same seed. */
export function randomRequest(model: Model, seed: number): FuzzRequest {
  const random = new Random(seed);
  return new RequestMaker(model, random, generationOf(seed)).make();
}

class RequestMaker {
  readonly #model: Model;
  readonly #random: Random;
  readonly #generation: number;

  constructor(model: Model, random: Random, generation: number) {
    this.#model = model;
    this.#random = random;
    this.#generation = generation;
  }

  make(): FuzzRequest {
    const random = this.#random;
    const { target, name } = this.#model.target(this.#generation, random);
    const method = random.chance(0.95) ? METHOD_OF[this.#verb(target)] : random.oneOf(METHODS);
    const headers: Record<string, string> = {};
    if (random.chance(0.4)) headers.accept = random.oneOf(ACCEPTED);
    for (const [name, values] of Object.entries(HEADERS)) if (random.chance(0.02)) headers[name] = random.oneOf(values);
    if (random.chance(0.08)) {
      const path = `${random.oneOf(ELSEWHERE)}${this.#query()}`;
      return { method, path: this.#spoiledPath(path), headers, body: undefined, relayed: path.includes('proxy'), custom: false };
    }
    const namespace = target.namespaced ? random.oneOf(NAMESPACES) : '';
    const toCollection = method === 'POST' ? target.subresource === '' : target.subresource === '' && random.chance(0.2);
    const place = `${target.root}${namespace === '' ? '' : `/namespaces/${namespace}`}/${target.resource}`;
    const path = toCollection ? place : `${place}/${name}${target.subresource === '' ? '' : `/${target.subresource}`}`;
    const { type, body } = this.#body(method, target, name, namespace);
    if (type !== undefined) headers['content-type'] = random.chance(0.97) ? type : random.oneOf(ACCEPTED);
    return {
      method,
      path: this.#spoiledPath(`${path}${this.#query(type?.includes('apply') === true)}`),
      headers,
      body: body !== undefined && random.chance(0.05) ? spoiledBytes(random, body) : body,
      relayed: RELAYED.has(target.subresource),
      custom: !('kind' in target),
    };
  }

  /** Deletions are rare, so that there is something to change. */
  #verb({ verbs }: Target): Verb {
    const random = this.#random;
    const lasting = verbs.filter((verb) => !verb.startsWith('delete'));
    return random.oneOf(lasting.length > 0 && random.chance(0.95) ? lasting : verbs);
  }

  #query(applies = false): string {
    const random = this.#random;
    const parts: string[] = applies ? ['fieldManager=fuzz', 'force=true'] : [];
    if (random.chance(0.5)) {
      for (let count = random.below(4); count > 0; count--) {
        const name = random.chance(0.95) ? random.oneOf(Object.keys(QUERY)) : random.oneOf(TEXTS);
        const value = random.chance(0.9)
          ? random.oneOf(Object.hasOwn(QUERY, name) ? (QUERY[name] as readonly string[]) : [''])
          : random.oneOf(TEXTS);
        parts.push(`${encoded(name)}=${encoded(value)}`);
      }
    }
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  }

  /** Only what a client may send at all: HTTP itself refuses the rest. */
  #spoiledPath(path: string): string {
    const random = this.#random;
    if (!random.chance(0.05)) return path;
    const at = 1 + random.below(path.length);
    const inserted = random.oneOf(['/', '//', '%2f', '%00', '%', '%zz', '..', '/../', '?', '&', ';', ':', '%ff', '+', '\\', "'"]);
    return path.slice(0, at) + inserted + path.slice(at + random.below(2));
  }

  #body(method: string, target: Target, name: string, namespace: string): { type?: string; body?: Buffer } {
    const random = this.#random;
    if (method === 'PATCH') return this.#patch(target, name, namespace);
    if (method === 'DELETE') {
      if (random.chance(0.6)) return {};
      const options = random.oneOf<unknown>([
        { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 },
        { propagationPolicy: 'Foreground', preconditions: { uid: 'x', resourceVersion: '1' } },
        anyValue(random),
      ]);
      return { type: 'application/json', body: json(spoiled(random, options)) };
    }
    if (method !== 'POST' && method !== 'PUT' && !random.chance(0.05)) return {};
    const object = this.#model.object(target, this.#generation, random, name, namespace);
    const form = random.fraction();
    if (form < 0.25) return { type: 'application/vnd.kubernetes.protobuf', body: this.#protobuf(target, object) };
    const sent = this.#changed(object);
    if (form < 0.4) return { type: 'application/yaml', body: yaml(sent) };
    return { type: 'application/json', body: json(sent) };
  }

  #protobuf(target: Target, object: JsonObject): Buffer {
    const random = this.#random;
    if (!('kind' in target)) return Buffer.from(wrapEnvelope(target.apiVersion, target.kindName, json(object)));
    const { kind } = target;
    let message: Buffer;
    try {
      message = encodeProtobuf(kind.compiled, kind.decode(object).object);
    } catch {
      // recorded objects may be wrong on purpose
      message = random.bytes(50);
    }
    const sent = random.chance(0.5) ? spoiledBytes(random, message) : message;
    const enveloped = wrapEnvelope(kind.apiVersion, random.chance(0.97) ? kind.kind : 'Pod', sent);
    return random.chance(0.1) ? spoiledBytes(random, enveloped) : Buffer.from(enveloped);
  }

  #patch(target: Target, name: string, namespace: string): { type: string; body: Buffer } {
    const random = this.#random;
    const object = this.#model.object(target, this.#generation, random, name, namespace);
    const sent = this.#changed(object);
    switch (random.below(4)) {
      case 0:
        return { type: 'application/merge-patch+json', body: json(sent) };
      case 1:
        return { type: 'application/strategic-merge-patch+json', body: json(this.#directives(sent)) };
      case 2:
        return { type: 'application/json-patch+json', body: json(this.#operations(object)) };
      default:
        return { type: 'application/apply-patch+yaml', body: random.chance(0.5) ? json(sent) : yaml(sent) };
    }
  }

  #changed(object: JsonObject): unknown {
    const random = this.#random;
    const sent = random.chance(0.5) ? spoiled(random, object) : object;
    const large = random.chance(0.02) ? enlarged(random, sent) : sent;
    return JSON.stringify(large)?.length > LARGEST ? sent : large;
  }

  /** A copy with directives of strategic merge somewhere in it. */
  #directives(value: unknown): unknown {
    const random = this.#random;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#directives(item));
      return random.chance(0.1) ? [...items, random.oneOf<unknown>([{ $patch: 'replace' }, { $patch: 'delete' }, { $patch: 1 }])] : items;
    }
    if (!isObject(value)) return value;
    const copy: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      copy[name] = this.#directives(member);
      if (!Array.isArray(member)) continue;
      if (random.chance(0.1)) copy[`$setElementOrder/${name}`] = spoiled(random, member);
      if (random.chance(0.05)) copy[`$deleteFromPrimitiveList/${name}`] = spoiled(random, member);
    }
    if (random.chance(0.05)) copy.$patch = random.oneOf<unknown>(['replace', 'merge', 'delete', 'x', 1, null]);
    if (random.chance(0.05)) copy.$retainKeys = random.oneOf<unknown>([Object.keys(copy), ['a'], 'a', [1], null]);
    return copy;
  }

  #operations(object: JsonObject): unknown {
    const random = this.#random;
    const operations = random.list(5, () => {
      const operation = {
        op: random.oneOf(['add', 'remove', 'replace', 'move', 'copy', 'test']),
        path: this.#pointer(object),
        from: this.#pointer(object),
        value: random.chance(0.5) ? anyValue(random) : object.spec,
      };
      return random.chance(0.1) ? spoiled(random, operation) : operation;
    });
    return random.chance(0.05) ? anyValue(random) : operations;
  }

  /** Leads somewhere into the object, or nearly. */
  #pointer(object: JsonObject): string {
    const random = this.#random;
    let at: unknown = object;
    let pointer = '';
    while (typeof at === 'object' && at !== null && !random.chance(0.2)) {
      const names = Object.keys(at);
      if (names.length === 0) break;
      const name = random.oneOf(names);
      pointer += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      at = (at as JsonObject)[name];
    }
    return random.chance(0.1) ? `${pointer}/${random.oneOf(['-', '0', '-1', '999999999', '01', 'x', '~2', ''])}` : pointer;
  }
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? 'null');

/** JSON is YAML: what the library cannot write is sent as that. */
function yaml(value: unknown): Buffer {
  const text = JSON.stringify(value) ?? 'null';
  try {
    return Buffer.from(stringify(JSON.parse(text)));
  } catch {
    return Buffer.from(text);
  }
}

/** Lone surrogates cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
