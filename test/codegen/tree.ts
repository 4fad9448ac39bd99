/** A small tree of schemas in a temporary folder, which tests edit before they generate from it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse, stringify } from 'yaml';
import { DiagnosticList, formatDiagnostic } from '../../codegen/check/diagnostic.ts';
import { type Generation, generate } from '../../codegen/generate.ts';
import { buildModel } from '../../codegen/model/build.ts';
import type { Model } from '../../codegen/model/model.ts';
import { readSources } from '../../codegen/read/read.ts';
import { writeTree } from '../../codegen/write/write.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into documents of any form
export type Json = any;

export interface SchemaFiles {
  /** OpenAPI documents by folder, such as `toys/v1` */
  readonly openapi: Record<string, Json>;
  /** texts of types.proto by folder */
  readonly proto: Record<string, string>;
  identity: Json;
  releases: Json;
  featureGates: Json;
  /** files with other contents or names, by path from the root */
  readonly raw: Record<string, string>;
}

const META = '../../meta/v1/openapi.yaml#/components/schemas/';

/** What generated modules and hand-written rules are built of. */
export const RUNTIME = ['client', 'contract', 'formats', 'go-yaml', 'schema', 'validation'];

const SCHEMAS = path.join(import.meta.dirname, '../../schemas');
export const META_IMPORTS = ['meta/v1/int-or-string.proto', 'meta/v1/quantity.proto', 'meta/v1/runtime.proto'];

const texts = new Map<string, string>();
/** The text of a schema file of this checkout. */
function real(file: string): string {
  const text = texts.get(file) ?? readFileSync(path.join(SCHEMAS, file), 'utf8');
  texts.set(file, text);
  return text;
}

const contents = new Map<string, Json>();
/** What such a file holds, for the caller to change. */
function realContent(file: string): Json {
  if (!contents.has(file)) contents.set(file, parse(real(file)));
  return structuredClone(contents.get(file));
}

const written = new Map<string, string>();
/** A test writes most documents many times, of which it changes one. */
function yamlOf(content: Json): string {
  const key = JSON.stringify(content);
  const text = written.get(key) ?? stringify(content);
  written.set(key, text);
  return text;
}

/** One group with two versions, of which v1 is stored, besides the machinery's own group version and tables as the tree has them. */
export function toySchemas(): SchemaFiles {
  return {
    openapi: {
      'meta/v1': realContent('meta/v1/openapi.yaml'),
      'toys/v1': document('toys.${groupDomain}', 'v1', 'test.toys.v1', [resource()], {
        Toy: kind({ metadata: meta('ObjectMeta'), spec: own('ToySpec') }),
        ToyList: kind({ metadata: meta('ListMeta'), items: { ...list(own('Toy')), 'x-cluster-always': true } }),
        ToySpec: struct({ colour: text(), parts: list(own('Part')) }),
        Part: struct({ name: text() }, ['name']),
      }),
      'toys/v1beta1': document('toys.${groupDomain}', 'v1beta1', 'test.toys.v1beta1', [resource({ storage: { version: 'v1' } })], {
        Toy: {
          ...sameKind('Toy'),
          'x-cluster-conversion': {
            to: { group: 'toys.${groupDomain}', version: 'v1', kind: 'Toy' },
            steps: [],
            loses: [{ path: 'spec', reason: 'Tests add what the older version lacks.' }],
          },
        },
        ToyList: sameKind('ToyList'),
        ToySpec: struct({ colour: text() }),
      }),
    },
    proto: {
      'meta/v1': real('meta/v1/types.proto'),
      'toys/v1': protoFile('test.toys.v1', {
        Toy: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1; optional ToySpec spec = 2;',
        ToyList: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1; repeated Toy items = 2;',
        ToySpec: 'optional string colour = 1; repeated Part parts = 2;',
        Part: 'optional string name = 1;',
      }),
      'toys/v1beta1': protoFile('test.toys.v1beta1', {
        Toy: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1; optional ToySpec spec = 2;',
        ToyList: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1; repeated Toy items = 2;',
        ToySpec: 'optional string colour = 1;',
      }),
    },
    identity: realContent('identity.yaml'),
    releases: realContent('releases.yaml'),
    featureGates: { ToyParts: [{ release: '1.1', stage: 'Alpha', default: false }] },
    raw: Object.fromEntries(META_IMPORTS.map((file) => [`schemas/${file}`, real(file)])),
  };
}

export function document(group: string, version: string, packageName: string, resources: Json[], schemas: Json): Json {
  return {
    openapi: '3.0.3',
    info: { title: group, version },
    'x-cluster-group-version': { group, version, package: packageName },
    ...(resources.length > 0 && { 'x-cluster-resources': resources }),
    paths: {},
    components: { schemas },
  };
}

export function struct(properties: Json, required?: string[]): Json {
  return { description: 'A struct.', type: 'object', ...(required && { required }), properties };
}

export function kind(properties: Json): Json {
  return { ...struct(properties), 'x-cluster-kind': true, 'x-cluster-lifecycle': { introduced: '1.0' } };
}

/** A kind of an older version with the members of v1's. */
function sameKind(name: string): Json {
  return { $ref: `../v1/openapi.yaml#/components/schemas/${name}`, 'x-cluster-lifecycle': { introduced: '1.0' } };
}

export function text(more: Json = {}): Json {
  return { description: 'A text.', type: 'string', ...more };
}

export function list(items: Json): Json {
  return { description: 'A list.', type: 'array', items };
}

export function own(name: string): Json {
  return { description: 'A part.', allOf: [{ $ref: `#/components/schemas/${name}` }] };
}

export function meta(name: string): Json {
  return { description: 'Metadata.', allOf: [{ $ref: `${META}${name}` }] };
}

export function resource(more: Json = {}): Json {
  return { name: 'toys', kind: 'Toy', singular: 'toy', scope: 'Namespaced', verbs: ['create', 'get', 'list'], ...more };
}

export function protoFile(packageName: string, messages: Record<string, string>): string {
  const body = Object.entries(messages).map(([name, fields]) => `message ${name} {\n  ${fields}\n}\n`);
  return `syntax = "proto2";\n\npackage ${packageName};\n\nimport "meta/v1/types.proto";\n\n${body.join('\n')}`;
}

export class Tree {
  readonly root: string;

  /** @param edit changes the toy schemas before they are written */
  constructor(edit: (files: SchemaFiles) => void = () => {}) {
    this.root = mkdtempSync(path.join(tmpdir(), 'cluster-schema-'));
    mkdirSync(path.join(this.root, 'runtime'));
    for (const folder of RUNTIME)
      symlinkSync(path.join(import.meta.dirname, '../../runtime', folder), path.join(this.root, 'runtime', folder));
    this.write('package.json', '{ "type": "module" }');
    const files = toySchemas();
    edit(files);
    for (const [folder, content] of Object.entries(files.openapi)) this.write(`schemas/${folder}/openapi.yaml`, yamlOf(content));
    for (const [folder, content] of Object.entries(files.proto)) this.write(`schemas/${folder}/types.proto`, content);
    this.write('schemas/identity.yaml', yamlOf(files.identity));
    this.write('schemas/releases.yaml', yamlOf(files.releases));
    this.write('schemas/feature-gates.yaml', yamlOf(files.featureGates));
    for (const [file, content] of Object.entries(files.raw)) this.write(file, content);
  }

  write(file: string, content: string): void {
    const absolute = path.join(this.root, file);
    mkdirSync(path.dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
  }

  generate(): Promise<Generation> {
    return generate(this.root);
  }

  /** @throws Error with what the schemas state wrongly */
  model(): Promise<Model> {
    return modelOf(this.root);
  }

  /** Generates and writes `generated/`. @throws Error with all diagnostics where there are errors */
  async build(): Promise<void> {
    const { files, errors } = await this.generate();
    if (errors.length > 0) throw new Error(errors.map(formatDiagnostic).join('\n'));
    writeTree(path.join(this.root, 'generated'), files);
  }

  /** @param file below `generated/`. @returns the module's exports */
  import(file: string): Promise<Json> {
    return import(pathToFileURL(path.join(this.root, 'generated', file)).href);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/**
 * @param root of a tree with schemas
 * @throws Error with what the schemas state wrongly
 */
export async function modelOf(root: string): Promise<Model> {
  const diagnostics = new DiagnosticList();
  const model = buildModel(await readSources(root, diagnostics.report), diagnostics.report);
  if (diagnostics.errors.length > 0) throw new Error(diagnostics.errors.map(formatDiagnostic).join('\n'));
  return model;
}

/** Runs `use` with a tree of the edited toy schemas, which is gone afterwards. */
export async function withTree<T>(edit: (files: SchemaFiles) => void, use: (tree: Tree) => Promise<T>): Promise<T> {
  const tree = new Tree(edit);
  try {
    return await use(tree);
  } finally {
    tree.remove();
  }
}
