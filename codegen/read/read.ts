/**
 * First step of the generator: reads every schema file below `schemas/`, and the exports of the hand-written files that schemas may name. What cannot be read
 * is
 * reported and left out.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse as parseYaml } from 'yaml';
import type { Report } from '../check/diagnostic.ts';
import { readNodeInterfaces } from './node-interfaces.ts';
import { readOpenapiDocuments } from './openapi.ts';
import { readProtobuf } from './protobuf.ts';
import { readRuleFiles } from './rule-files.ts';
import { objectAt, type Sources } from './sources.ts';

const GROUP_VERSION = 'x-cluster-group-version';

/** @param root the root of the tree: the folder that holds `schemas/` */
export async function readSources(root: string, report: Report): Promise<Sources> {
  const openapi = schemaFiles(root, 'openapi.yaml');
  const protos = schemaFiles(root, '*.proto');
  const documents = await readOpenapiDocuments(root, openapi, report);
  const { messages, packages } = readProtobuf(texts(root, protos), report);
  const withoutProtobuf = documents.filter(({ content }) => {
    const { files, structural } = objectAt(content, GROUP_VERSION);
    return files === true || structural === true;
  });
  reportMissingFiles(openapi, protos, new Set(withoutProtobuf.map(({ folder }) => folder)), report);
  return {
    documents,
    messages,
    protobufPackages: packages,
    nodeInterfaces: readNodeInterfaces(texts(root, globFiles(root, 'schemas/node-interfaces/*.proto')), report),
    ruleFiles: readRuleFiles(root),
    identity: readYaml(root, 'schemas/identity.yaml', report),
    releases: readYaml(root, 'schemas/releases.yaml', report),
    featureGates: readYaml(root, 'schemas/feature-gates.yaml', report),
    ...readServerTables(root),
  };
}

function schemaFiles(root: string, name: string): string[] {
  return globFiles(root, `schemas/*/*/${name}`);
}

function globFiles(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root })
    .map((file) => file.split(path.sep).join('/'))
    .sort();
}

/** @returns the texts by path from the root of the tree */
function texts(root: string, files: readonly string[]): Map<string, string> {
  return new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

/** @param others folders of group versions whose kinds have no protobuf form */
function reportMissingFiles(openapi: readonly string[], protos: readonly string[], others: ReadonlySet<string>, report: Report): void {
  const all = new Set([...openapi, ...protos]);
  for (const folder of new Set([...all].map((file) => path.posix.dirname(file))))
    for (const name of ['openapi.yaml', 'types.proto']) {
      const file = `${folder}/${name}`;
      const none = name === 'types.proto' && others.has(folder.slice('schemas/'.length));
      if (!all.has(file) && !none) report('CS005', { file, path: '' }, 'The file does not exist.');
      else if (all.has(file) && none) report('CS060', { file, path: '' }, 'There is a protobuf file for kinds that have no form in it.');
    }
}

function readYaml(root: string, file: string, report: Report): unknown {
  const absolute = path.join(root, file);
  if (!existsSync(absolute)) {
    report('CS001', { file, path: '' }, 'The file does not exist.', 'Add the file.');
    return undefined;
  }
  try {
    const content: unknown = parseYaml(readFileSync(absolute, 'utf8'));
    if (content === null) report('CS002', { file, path: '' }, 'The file holds nothing.');
    return content ?? undefined;
  } catch (error) {
    report('CS001', { file, path: '' }, (error as Error).message);
    return undefined;
  }
}

const SERVER_TABLES = {
  flags: 'schemas/flags.yaml',
  nodeAgentFlags: 'schemas/node-agent-flags.yaml',
  defaultPolicy: 'schemas/default-policy.yaml',
  metrics: 'schemas/metrics.yaml',
  behaviours: 'schemas/behaviours.yaml',
  policyExceptions: 'schemas/policy-exceptions.yaml',
} as const;

/** These tables belong to the server alone, so a tree of schemas without them is complete. */
function readServerTables(root: string): { [K in keyof typeof SERVER_TABLES]?: string } {
  const present = Object.entries(SERVER_TABLES).filter(([, file]) => existsSync(path.join(root, file)));
  return Object.fromEntries(present.map(([name, file]) => [name, readFileSync(path.join(root, file), 'utf8')]));
}
