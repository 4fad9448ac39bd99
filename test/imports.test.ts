/** Imports point one way; code never spells the words in which dialects differ. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

interface Import {
  /** path from the root of the tree */
  readonly from: string;
  /** path from the root of the tree, or the name of a package or of a module of Node's */
  readonly to: string;
  /** of types alone: nothing is left of it at run time */
  readonly types: boolean;
}

const SPECIFIER =
  /(?:^|\n)\s*(?:import|export)\b(\s+type\b)?(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"`]([^'"`]+)['"`]|\bimport\(\s*`([^`]*)`/g;

/** Every import of a source, type imports and dynamic ones included. */
export function importsOf(file: string, source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(SPECIFIER)].map(([, type, ...specifiers]) => {
    const specifier = specifiers.find((each) => each !== undefined) as string;
    const to = specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
    return { from: file, to, types: type !== undefined };
  });
}

/** What files below a folder must not import. */
interface Rule {
  readonly name: string;
  readonly from: RegExp;
  readonly mustNot: RegExp;
  /** files of which they may import types */
  readonly typesOf?: RegExp;
}

const HTTP =
  /^node:(http|https|http2|net|tls)$|^(koa|@koa\/router|ws)$|^runtime\/(endpoints|chain|connections|server|main|assembly|authentication|authorization)\//;
const rules: Rule[] = [
  {
    name: 'answers leave by runtime/connections/client-answer.ts alone',
    from: /^runtime\/(?!connections\/)/,
    mustNot: /^runtime\/connections\/(?:whole-answer|chunked-coding)\.ts$/,
  },
  {
    name: 'generated/ imports of the runtime only its contract and the behaviour of kinds, those of definitions among them',
    from: /^generated\/(?!client\/)/,
    mustNot: /^(?!generated\/(?!client\/)|runtime\/(?:contract|kinds|validation|formats|custom-resources)\/|node:)/,
  },
  {
    name: 'generated/client/ imports itself, the names of the dialects and the client of the runtime',
    from: /^generated\/client\//,
    mustNot: /^(?!generated\/(?:client\/|identity\.ts$)|runtime\/(?:client\/|contract\/identity\.ts$))/,
  },
  {
    // others get it as a package that has nothing else of this tree
    name: 'runtime/client/ imports only itself, go-yaml, the schema and the contract',
    from: /^runtime\/client\//,
    mustNot: /^(?!runtime\/(client|go-yaml|schema|contract)\/|node:)/,
  },
  {
    name: 'runtime/ does not import generated/',
    from: /^runtime\/(?!assembly\/|embedded\/|main\/|kinds\/|admission\/|aggregation\/|authentication\/|authorization\/|controllers\/|fairness\/|node-agent\/|audit\/|tracing\/|egress\/|storage\/etcd\/client\/)/,
    mustNot: /^generated\//,
  },
  {
    name: 'runtime/tracing/ imports of generated/ types and the interface of collectors alone',
    from: /^runtime\/tracing\//,
    mustNot: /^generated\/(?!node-interfaces\/trace-collector\.ts$)/,
    typesOf: /^generated\/[^/]+\/[^/]+\/types\.ts$/,
  },
  {
    name: 'runtime/egress/ imports of generated/ types and the interface of proxies alone',
    from: /^runtime\/egress\//,
    mustNot: /^generated\/(?!node-interfaces\/network-proxy\.ts$)/,
    typesOf: /^generated\/[^/]+\/[^/]+\/types\.ts$/,
  },
  {
    name: 'runtime/storage/etcd/client/ imports of generated/ the interface of etcd alone, and of the runtime besides itself what writes its messages and holds its connections',
    from: /^runtime\/storage\/etcd\/client\//,
    mustNot:
      /^(?:generated\/(?!node-interfaces\/etcd\.ts$)|runtime\/(?!storage\/etcd\/client\/|contract\/|grpc\/|schema\/protobuf\/wire-messages\.ts$))/,
  },
  {
    name: 'runtime/node-agent/ imports of generated/ types, typed clients and the interfaces of a node alone',
    from: /^runtime\/node-agent\//,
    mustNot: /^generated\/(?!client\/|node-interfaces\/)/,
    typesOf: /^generated\/[^/]+\/[^/]+\/types\.ts$/,
  },
  {
    name: 'of the runtime its own entry points alone import the node agent, but for its gRPC, which key management services speak too',
    from: /^runtime\/(?!node-agent\/|main\/)/,
    mustNot: /^runtime\/node-agent\/(?!grpc\/)/,
  },
  {
    name: 'what decides by objects of certain kinds imports of generated/ types alone',
    from: /^runtime\/(?:admission|aggregation|audit|authentication|authorization|controllers|fairness)\//,
    mustNot: /^generated\//,
    typesOf: /^generated\/[^/]+\/[^/]+\/types\.ts$/,
  },
  {
    name: 'runtime/kinds/ imports of generated/ types alone',
    from: /^runtime\/kinds\//,
    mustNot: /^generated\//,
    typesOf: /^generated\/[^/]+\/[^/]+\/types\.ts$/,
  },
  {
    name: 'runtime/node-agent/ knows nothing of what serves the API',
    from: /^runtime\/node-agent\//,
    mustNot:
      /^runtime\/(?!admission\/plugins\/node-labels\.ts$)(?:admission|apply|chain|controllers|custom-resources|discovery|endpoints|openapi|relay|storage|system-objects)\//,
  },
  { name: 'nobody imports the program', from: /^(runtime|codegen|generated)\/(?!main\/)/, mustNot: /^runtime\/main\// },
  { name: 'nobody imports what others embed', from: /^(runtime|codegen|generated)\/(?!embedded\/)/, mustNot: /^runtime\/embedded\// },
  {
    name: 'entry points alone import what puts a server together',
    from: /^(runtime|codegen|generated)\/(?!assembly\/|embedded\/|main\/)/,
    mustNot: /^runtime\/assembly\//,
  },
  { name: 'runtime/ does not import codegen/', from: /^(runtime|generated)\//, mustNot: /^codegen\// },
  { name: 'nobody imports tests', from: /^(runtime|codegen|generated)\//, mustNot: /^test\// },
  {
    // what is said of custom kinds at run time is said of schemas that state a kind in the same way
    name: 'codegen/ imports of the runtime only its contract, schema, validation, openapi and custom resources',
    from: /^codegen\/(?!convert\/|policy\/conversions\/)/,
    mustNot: /^runtime\/(?!contract\/|schema\/|validation\/|openapi\/|custom-resources\/)/,
  },
  {
    // objects are converted by what converts them in the server
    name: 'what of codegen/ converts objects imports besides how the server loads kinds, and how it writes YAML',
    from: /^codegen\/(?:convert|policy\/conversions)\//,
    mustNot:
      /^runtime\/(?!contract\/|schema\/|validation\/|go-yaml\/|registry\/(?:kinds\/kind|kinds\/kind-loader|resources\/feature-gates|emulation\/emulated-release)\.ts$)/,
  },
  { name: 'runtime/contract/ imports nothing else', from: /^runtime\/contract\//, mustNot: /^(?!runtime\/contract\/)/ },
  {
    name: 'runtime/schema/ imports only itself and the contract',
    from: /^runtime\/schema\//,
    mustNot: /^runtime\/(?!schema\/|contract\/)/,
  },
  {
    name: 'runtime/apply/ imports only itself, the schema and the contract',
    from: /^runtime\/apply\//,
    mustNot: /^runtime\/(?!apply\/|schema\/|contract\/)/,
  },
  {
    name: 'runtime/formats/ imports only itself, texts of Go, the schema and the contract',
    from: /^runtime\/formats\//,
    mustNot: /^(?!runtime\/(formats|go-text|schema|contract)\/|node:)/,
  },
  {
    name: 'runtime/selectors/ imports only itself, formats, the schema and the contract',
    from: /^runtime\/selectors\//,
    mustNot: /^runtime\/(?!(selectors|formats|schema|contract)\/)/,
  },
  {
    name: 'runtime/go-text/ imports only itself and the contract',
    from: /^runtime\/go-text\//,
    mustNot: /^(?!runtime\/(go-text|contract)\/)/,
  },
  {
    name: 'runtime/go-yaml/ imports only itself, the schema and the contract',
    from: /^runtime\/go-yaml\//,
    mustNot: /^(?!runtime\/(go-yaml|schema|contract)\/)/,
  },
  {
    name: 'runtime/go-diff/ imports only itself, texts of Go, the schema and the contract',
    from: /^runtime\/go-diff\//,
    mustNot: /^(?!runtime\/(go-diff|go-text|schema|contract)\/)/,
  },
  {
    name: 'runtime/structural-schema/ imports only itself, expressions, formats, texts of Go, validation, the schema and the contract',
    from: /^runtime\/structural-schema\//,
    mustNot: /^runtime\/(?!(structural-schema|expressions|formats|go-text|validation|schema|contract)\/)/,
  },
  {
    // the store's client of etcd, which knows little, and what speaks to programs of the node both stand over it
    name: 'runtime/grpc/ imports nothing else of the runtime',
    from: /^runtime\/grpc\//,
    mustNot: /^(?:generated|runtime\/(?!grpc\/))/,
  },
  {
    name: 'runtime/certificates/ imports nothing else of the runtime',
    from: /^runtime\/certificates\//,
    mustNot: /^(?!runtime\/certificates\/|node:)/,
  },
  {
    name: 'what endpoints/ asks, and what works by itself, imports nothing of endpoints/',
    from: /^runtime\/(?!endpoints\/|chain\/|assembly\/|embedded\/|main\/)/,
    mustNot: /^runtime\/(?:endpoints|chain)\//,
  },
  {
    name: 'runtime/event-loop/ imports nothing of this tree but itself',
    from: /^runtime\/event-loop\//,
    mustNot: /^(?!runtime\/event-loop\/|node:)/,
  },
  {
    name: 'runtime/storage/ knows no kinds',
    from: /^runtime\/storage\/(?!etcd\/client\/)/,
    mustNot: /^runtime\/(?!storage\/|collections\/|contract\/)/,
  },
  {
    name: 'runtime/storage/, contract/ and schema/ know no HTTP, and no TLS but to etcd',
    from: /^runtime\/(storage\/(?!etcd\/client\/tls-credentials\.ts$)|contract\/|schema\/)/,
    mustNot: HTTP,
  },
];

function breaks({ from, mustNot, typesOf }: Rule, each: Import): boolean {
  return from.test(each.from) && mustNot.test(each.to) && !(each.types && typesOf?.test(each.to));
}

/** Of a module that is neither a file of this tree nor Node's. */
const PACKAGE = /^(?!(?:runtime|codegen|generated|test)\/|node:)(?:@[^/]+\/)?[^/]+/;

const files = globSync(['runtime/**/*.{ts,js}', 'codegen/**/*.ts', 'generated/**/*.ts']).map((file) => file.replaceAll(path.sep, '/'));
const imports = files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));

const directions = suite('imports');
directions('are found', () => assert.ok(imports.length > files.length));
for (const rule of rules)
  directions(rule.name, () => {
    const wrong = imports.filter((each) => breaks(rule, each));
    assert.equal(
      wrong.map((each) => `${each.from} imports ${each.to}`),
      [],
    );
  });
/** What is loaded before the compile cache is on is plain JavaScript. */
const NAMED_AS_THEY_ARE = /\.(ts|json)$|^runtime\/assembly\/setup\/(needed-node|own-modules)\.js$/;
directions('of own modules name the file', () => {
  const wrong = imports.filter(({ to }) => /^(runtime|codegen|generated)\//.test(to) && !NAMED_AS_THEY_ARE.test(to) && !to.includes('${'));
  assert.equal(wrong, []);
});
/** They are run, as a program or a thread, or imported by others as a package. */
const ENTRY_POINTS = [
  'codegen/main.ts',
  'runtime/assembly/documents/document-thread.js',
  'runtime/assembly/encryption/key-service-thread.js',
  'runtime/assembly/long-requests/long-request-thread.js',
  // generated modules of kinds that definitions defined import it: the schemas of this tree have none
  'runtime/custom-resources/structural-kinds.ts',
  'runtime/embedded/start-server.ts',
  // the tests of the language alone use its extensions
  'runtime/expressions/libraries/extensions.ts',
  'runtime/main/cluster-apiserver.js',
  'runtime/main/cluster-node-agent.js',
  'runtime/main/freed-memory-thread.js',
  'runtime/storage/lmdb/store-files/trial.js',
];
directions('lead to every hand-written file', () => {
  const imported = new Set(imports.map(({ to }) => to));
  const others = files.filter((file) => !file.startsWith('generated/') && !imported.has(file));
  assert.equal(others.sort(), ENTRY_POINTS);
});
directions('lead in no circle, those of types and those on demand included', () => assert.equal(circle(imports), undefined));
/** A folder and those within it count as one, or as several. */
const LEVELS = [1, 2];
for (const level of LEVELS)
  directions(`of folders of runtime/ lead in no circle, at level ${level}`, () => assert.equal(folderCircle(imports, level), []));
directions('of packages at run time are those of its dependencies', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, object>;
  const used = imports.filter((each) => /^(runtime|generated)\//.test(each.from) && !each.types).map(({ to }) => PACKAGE.exec(to)?.[0]);
  const names = new Set(used.filter((name) => name !== undefined));
  assert.equal([...names].sort(), Object.keys({ ...dependencies, ...optionalDependencies }).sort());
});
directions.run();

/** @returns the files of some circle, in the order of their imports; undefined where there is none */
export function circle(all: readonly Pick<Import, 'from' | 'to'>[]): string[] | undefined {
  const byFile = Map.groupBy(all, ({ from }) => from);
  const done = new Set<string>();
  const from = (file: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { to } of byFile.get(file) ?? []) {
      const found = from(to, [...way, file]);
      if (found !== undefined) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of byFile.keys()) {
    const found = from(file, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * @param level of the folders below runtime/ that are looked at: 1 for `runtime/kinds`, 2 for `runtime/kinds/apps` and, without what is below it,
 * `runtime/kinds`
 * @returns the imports by which folders lead to each other in some circle
 */
export function folderCircle(all: readonly Pick<Import, 'from' | 'to'>[], level: number): string[] {
  const folderOf = (file: string) =>
    file
      .split('/')
      .slice(0, -1)
      .slice(0, level + 1)
      .join('/');
  const between = all
    .filter(({ from, to }) => /^runtime\//.test(from) && /^runtime\//.test(to))
    .map(({ from, to }) => ({ file: `${from} imports ${to}`, from: folderOf(from), to: folderOf(to) }))
    .filter(({ from, to }) => from !== to);
  const folders = circle(between) ?? [];
  return folders.flatMap((from, index) =>
    between.filter((each) => each.from === from && each.to === folders[index + 1]).map(({ file }) => file),
  );
}

const circles = suite('circles of imports');
const graphs: [name: string, edges: string[], files: string[] | undefined][] = [
  ['none', ['a b', 'a c', 'b c'], undefined],
  ['of one file', ['a b', 'b b'], ['b', 'b']],
  ['of several, entered from outside', ['a b', 'b c', 'c d', 'd b'], ['b', 'c', 'd', 'b']],
];
for (const [name, edges, files] of graphs)
  circles(name, () => {
    const all = edges.map((edge) => edge.split(' ')).map(([from = '', to = '']) => ({ from, to }));
    assert.equal(circle(all), files);
  });
const trees: [name: string, edges: string[], level: number, found: string[]][] = [
  ['folders one above the other', ['runtime/a/x.ts runtime/b/y.ts', 'runtime/a/x.ts runtime/a/b/y.ts'], 2, []],
  [
    'two folders that import each other by different files',
    ['runtime/a/x.ts runtime/b/y.ts', 'runtime/b/z.ts runtime/a/v.ts', 'runtime/c/x.ts runtime/a/x.ts'],
    1,
    ['runtime/a/x.ts imports runtime/b/y.ts', 'runtime/b/z.ts imports runtime/a/v.ts'],
  ],
  [
    'a folder and one within it',
    ['runtime/a/x.ts runtime/a/b/y.ts', 'runtime/a/b/z.ts runtime/a/v.ts'],
    2,
    ['runtime/a/x.ts imports runtime/a/b/y.ts', 'runtime/a/b/z.ts imports runtime/a/v.ts'],
  ],
  ['a folder and one within it, which count as one', ['runtime/a/x.ts runtime/a/b/y.ts', 'runtime/a/b/z.ts runtime/a/v.ts'], 1, []],
];
for (const [name, edges, level, found] of trees)
  circles(name, () => {
    const all = edges.map((edge) => edge.split(' ')).map(([from = '', to = '']) => ({ from, to }));
    assert.equal(folderCircle(all, level), found);
  });
circles.run();

const parsed = suite('import statements');
const statements: [source: string, to: string[], types?: boolean][] = [
  ["import { a } from './b.ts';", ['x/b.ts']],
  ["import type { A } from '../b.ts';", ['b.ts'], true],
  ["import type * as a from '../b.ts';", ['b.ts'], true],
  ["export type { A } from '../b.ts';", ['b.ts'], true],
  ["import { type A } from '../b.ts';", ['b.ts']],
  ["import typed from '../b.ts';", ['b.ts']],
  ["import 'node:fs';", ['node:fs']],
  ["import a, {\n  b,\n  type C,\n} from 'koa';", ['koa']],
  ["export { a } from './b.ts';\nexport * from './c.ts';", ['x/b.ts', 'x/c.ts']],
  ["const a = await import('./b.ts');", ['x/b.ts']],
  ["const a: typeof import('pino') = require('pino');", ['pino', 'pino']],
  ['const a = () => import(`../kinds/${name}.ts`);', ['kinds/${name}.ts']],
  ["// import { a } from './b.ts';\n/* import './c.ts'; */", []],
];
for (const [source, to, types = false] of statements)
  parsed(source, () =>
    assert.equal(
      importsOf('x/a.ts', source),
      to.map((each) => ({ from: 'x/a.ts', to: each, types })),
    ),
  );
parsed.run();

/** Words of one dialect; `io.k8s.…` definition names, `system:kube-…` users and `x-kubernetes-…` extensions are common to both. */
const DIALECT =
  /(?<!io\.)\bk8s\.io\b|\bkubernetes\.io\b|\bcluster\.io\b|(?<!system:)\bkube-(?:system|public|node-lease|root-ca)\b|\bcluster-(?:system|public|node-lease|root-ca)\b|\bvnd\.(?:kubernetes|cluster)\./;
const REFERENCE = /https?:\/\/\S+/g;
const words = suite('words of a dialect');
words('stand in the identity table alone', () => {
  const sources = [...globSync(['runtime/**/*.{ts,js}', 'codegen/**/*.ts', 'templates/**/*.hbs', 'schemas/**/*.{yaml,proto}'])].filter(
    (file) => !file.endsWith('identity.yaml'),
  );
  const wrong = sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (DIALECT.test(line.replace(REFERENCE, '')) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  assert.equal(wrong, []);
});
words.run();
