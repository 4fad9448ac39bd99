/**
 * The path of a maintainer: a version is added beside another one, edited, checked and stored, and the older one is deprecated and removed. Servers
 * of the releases on the way serve both, convert what is stored, and warn of what goes.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDiagnostic } from '../../../codegen/check/diagnostic.ts';
import type { Command } from '../../../codegen/commands/command.ts';
import { run as deprecate } from '../../../codegen/commands/deprecate.ts';
import { run as newVersion } from '../../../codegen/commands/new-version.ts';
import { run as promote } from '../../../codegen/commands/promote.ts';
import { readState } from '../../../codegen/commands/read-state.ts';
import { run as remove } from '../../../codegen/commands/remove.ts';
import { generate } from '../../../codegen/generate.ts';
import { checkPolicy, type SchemaState } from '../../../codegen/policy/check-policy.ts';
import { writeTree } from '../../../codegen/write/write.ts';
import { Client, type Json } from '../../harness/client.ts';
import { projectRoot, startServer } from '../../harness/server.ts';

const META = '../../meta/v1/openapi.yaml#/components/schemas/';
const GROUP = 'lamps.example.com';
const OLDER = `/apis/${GROUP}/v1beta1/namespaces/default/lamps`;
const NEWER = `/apis/${GROUP}/v1/namespaces/default/lamps`;

const v1beta1 = `
openapi: "3.0.3"
info: { title: lamps v1beta1, version: v1beta1 }
# turned on by --runtime-config
x-cluster-group-version: { group: ${GROUP}, version: v1beta1, package: com.example.lamps.v1beta1 }
x-cluster-resources:
  - { name: lamps, kind: Lamp, singular: lamp, scope: Namespaced, verbs: [ create, delete, get, list, update ] }
paths: {}
components:
  schemas:
    Lamp:
      type: object
      description: A lamp.
      x-cluster-kind: true
      x-cluster-lifecycle: { introduced: "1.28" } # the first
      properties:
        metadata: { description: Standard metadata., allOf: [ { $ref: "${META}ObjectMeta" } ] }
        spec: { description: What is wanted., allOf: [ { $ref: "#/components/schemas/LampSpec" } ] }
      x-cluster-table:
        columns:
          - { name: Name, path: .metadata.name, format: name }
          - { name: Age, age: .metadata.creationTimestamp }
    LampSpec:
      type: object
      description: The wanted light.
      properties:
        tint: { description: Its colour., type: string }
        dim: { description: Whether it is dimmed., type: boolean }
    LampList:
      type: object
      description: Lamps.
      x-cluster-kind: true
      x-cluster-lifecycle: { introduced: "1.28" }
      required: [ items ]
      properties:
        metadata: { description: Metadata of the list., allOf: [ { $ref: "${META}ListMeta" } ] }
        items: { description: The lamps., type: array, items: { $ref: "#/components/schemas/Lamp" }, x-cluster-always: true }
`;

const proto = `syntax = "proto2";

package com.example.lamps.v1beta1;

import "meta/v1/types.proto";

message Lamp {
  optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;
  optional LampSpec spec = 2;
}

message LampSpec {
  optional string tint = 1;
  optional bool dim = 2;
}

message LampList {
  optional .io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1;
  repeated Lamp items = 2;
}
`;

const root = mkdtempSync(path.join(tmpdir(), 'cluster-life-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}
function replace(file: string, from: string, to: string): void {
  assert.ok(read(file).includes(from), `${file} has ${from}`);
  write(file, read(file).replace(from, to));
}

async function state(): Promise<SchemaState> {
  const found = await readState(root);
  if ('errors' in found) throw new Error(found.errors.join('\n'));
  return found;
}

/** A release is out, and work on the next one begins. */
function release(name: string): void {
  write('schemas/releases.yaml', read('schemas/releases.yaml').replace(/^current: .*$/m, `current: "${name}"`));
}

async function command(run: Command, ...args: string[]): Promise<void> {
  const { log, error } = console;
  const printed: string[] = [];
  console.log = (text: string) => void printed.push(text);
  console.error = (text: string) => void printed.push(text);
  try {
    assert.is(await run(root, args), 0, printed.join('\n'));
  } finally {
    Object.assign(console, { log, error });
  }
}

/** The step keeps the policy. */
async function checked(before: SchemaState): Promise<void> {
  const { findings } = checkPolicy(before, await state(), { knowsRelease: false });
  assert.equal(
    findings.map(({ code, element, was, is }) => `${code} ${element}: ${was} -> ${is}`),
    [],
  );
}

cpSync(path.join(projectRoot, 'schemas'), path.join(root, 'schemas'), { recursive: true });
cpSync(path.join(projectRoot, 'runtime'), path.join(root, 'runtime'), { recursive: true });
cpSync(path.join(projectRoot, 'package.json'), path.join(root, 'package.json'));
symlinkSync(path.join(projectRoot, 'node_modules'), path.join(root, 'node_modules'));
write('schemas/lamps/v1beta1/openapi.yaml', v1beta1);
write('schemas/lamps/v1beta1/types.proto', proto);

const life = suite('the life of a version');
life('is written by the commands, and keeps the policy in each step', async () => {
  release('1.28');
  const [first, document] = [await state(), 'schemas/lamps/v1/openapi.yaml'];
  await command(newVersion, 'lamps/v1', '--from', 'v1beta1');
  // The maintainer gives a field a better name.
  replace(
    document,
    'LampSpec: { $ref: "../v1beta1/openapi.yaml#/components/schemas/LampSpec" }',
    `LampSpec:
      type: object
      description: The wanted light.
      properties:
        colour: { description: Its colour., type: string }
        dim: { description: Whether it is dimmed., type: boolean }`,
  );
  replace(document, 'kind: Lamp }, steps: [] }', 'kind: Lamp }, steps: [ { op: rename, from: spec.colour, to: spec.tint } ] }');
  replace('schemas/lamps/v1/types.proto', 'tint = 1', 'colour = 1');
  await checked(first);
  const second = await state();
  await command(deprecate, 'lamps/v1beta1');
  await checked(second);
  release('1.30');
  const third = await state();
  await command(promote, 'lamps/v1');
  await checked(third);
  const fourth = await state();
  await command(remove, 'lamps/v1beta1', '--in', '1.32');
  await checked(fourth);
  assert.match(read('schemas/lamps/v1beta1/openapi.yaml'), /# turned on by --runtime-config\n[\s\S]*\} # the first\n/);
});

const TODAY = '1.32';

async function withServer(release: string, directory: string, use: (client: Client) => Promise<void>): Promise<void> {
  const on = release === '1.28' || release === '1.29' || release === '1.31' ? [`--runtime-config=${GROUP}/v1beta1=true`] : [];
  const server = await startServer({ dialect: 'kubernetes', root, directory, flags: [`--emulated-release=${release}`, ...on] });
  try {
    await use(new Client(server));
  } finally {
    await server.stop();
  }
}

const spec = async (client: Client, place: string): Promise<[status: number, spec: Json]> => {
  const { status, body } = await client.get(place);
  return [status, body.spec];
};

life('is what servers of its releases serve, with what those before have stored', async () => {
  release(TODAY);
  const { files, errors } = await generate(root);
  assert.equal(errors.map(formatDiagnostic), []);
  writeTree(path.join(root, 'generated'), files);
  const directory = mkdtempSync(path.join(root, 'data-'));
  await withServer('1.28', directory, async (client) => {
    const { status } = await client.post(OLDER, {
      apiVersion: `${GROUP}/v1beta1`,
      kind: 'Lamp',
      metadata: { name: 'a' },
      spec: { tint: 'Red', dim: true },
    });
    assert.is(status, 201);
    assert.is((await client.get(NEWER)).status, 404);
  });
  await withServer('1.29', directory, async (client) => {
    assert.equal(await spec(client, `${NEWER}/a`), [200, { colour: 'Red', dim: true }]);
    const { headers } = await client.get(`${OLDER}/a`);
    assert.match(
      headers.warning ?? '',
      /lamps\.example\.com\/v1beta1 Lamp is deprecated in v1\.29\+, unavailable in v1\.32\+; use lamps\.example\.com\/v1 Lamp/,
    );
    const { status } = await client.post(NEWER, {
      apiVersion: `${GROUP}/v1`,
      kind: 'Lamp',
      metadata: { name: 'b' },
      spec: { colour: 'Blue' },
    });
    assert.is(status, 201);
    assert.equal(await spec(client, `${OLDER}/b`), [200, { tint: 'Blue' }]);
  });
  await withServer('1.31', directory, async (client) => {
    const all = await client.get(NEWER);
    assert.equal(
      all.body.items.map(({ spec: { colour } }: Json) => colour),
      ['Red', 'Blue'],
    );
    assert.equal(await spec(client, `${OLDER}/a`), [200, { tint: 'Red', dim: true }]);
  });
  await withServer(TODAY, directory, async (client) => {
    assert.is((await client.get(`${OLDER}/a`)).status, 404);
    assert.equal(await spec(client, `${NEWER}/a`), [200, { colour: 'Red', dim: true }]);
    assert.equal(await spec(client, `${NEWER}/b`), [200, { colour: 'Blue' }]);
  });
});
life.run();
