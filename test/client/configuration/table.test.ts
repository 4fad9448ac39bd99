/** The cases of 1.32 for client configurations. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { type Cluster, type Configuration, EMPTY_CONFIGURATION, type User } from '../../../runtime/client/configuration/configuration.ts';
import { readConfiguration } from '../../../runtime/client/configuration/configuration-object.ts';
import { withoutEscapeCodes } from '../../../runtime/client/configuration/escape-codes.ts';
import { ExecPlugin } from '../../../runtime/client/configuration/exec-plugin.ts';
import { defaultLoadingRules, loadConfiguration, loadConfigurationFile } from '../../../runtime/client/configuration/loading-rules.ts';
import { type Overrides, resolveConfiguration } from '../../../runtime/client/configuration/resolve.ts';
import {
  clusterProblems,
  confirmUsable,
  contextProblems,
  userProblems,
  validateConfiguration,
} from '../../../runtime/client/configuration/validate.ts';
import { configurationObject, writeConfiguration } from '../../../runtime/client/configuration/write.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';

const identity = createIdentity(identityData, 'kubernetes');
const folder = mkdtempSync(path.join(tmpdir(), 'client-config-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: rows of several forms
type Row = any;

let count = 0;
/** Where the files of one row are. */
class Place {
  readonly #folder = path.join(folder, String(count++));

  constructor() {
    mkdirSync(this.#folder);
  }

  /** Places of files in the table to those of the test. */
  here(text: string): string {
    return text.replaceAll('/files', `${this.#folder}/files`).replaceAll('$HOME', `${this.#folder}/home`);
  }

  /** The other way round. */
  there(text: string): string {
    return text
      .replaceAll(`${this.#folder}/files`, '/files')
      .replaceAll(`${this.#folder}/home`, '$HOME')
      .replaceAll(`${this.#folder}/`, '');
  }

  /** A value of the table, with places of the test. */
  value<T>(value: T): T {
    return value === undefined ? value : JSON.parse(this.here(JSON.stringify(value)));
  }

  write(files: Readonly<Record<string, string | null>> = {}): void {
    for (const [name, text] of Object.entries(files)) {
      const file = this.here(name);
      if (text === null || !path.isAbsolute(file)) continue;
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  read(name: string): string | null {
    const file = this.here(name);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  }
}

/** @returns the error's message, or null */
async function messageOf(act: () => unknown, place?: Place): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    const { message } = error as Error;
    return place === undefined ? message : place.there(message);
  }
}

/** Those of several entries come in no order: 1.32 has them in maps. */
const problemsIn = (message: string | null): string[] | undefined =>
  message
    ?.replaceAll(/: \[|\]$/g, ', ')
    .split(', ')
    .sort();

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Parts of a configuration, which overrides have in the form of files. */
const clusterOf = (cluster: object | undefined): Cluster | undefined =>
  cluster && readConfiguration({ clusters: [{ name: 'x', cluster }] }).clusters.get('x');
const userOf = (user: object | undefined): User | undefined => user && readConfiguration({ users: [{ name: 'x', user }] }).users.get('x');

const runs: Readonly<Record<string, (row: Row) => Promise<void>>> = {
  async load(row) {
    const place = new Place();
    place.write(row.files);
    if (/is a directory/.test(row.error ?? '')) mkdirSync(place.here(row.explicitPath), { recursive: true });
    const missing: string[] = [];
    const rules = {
      explicitPath: place.here(row.explicitPath),
      precedence: (row.precedence ?? []).map((file: string) => place.here(file)),
      migrations: place.value(row.migrationRules ?? {}),
      keepsPaths: row.doNotResolvePaths,
      ...(row.warnIfAllMissing && { onMissing: (files: readonly string[]) => missing.push(...files) }),
    };
    let configuration: Configuration = EMPTY_CONFIGURATION;
    const error = await messageOf(async () => {
      configuration = await loadConfiguration(rules);
    }, place);
    assert.is(error, row.error);
    if (row.merged !== undefined) assert.equal(plain(configurationObject(configuration)), place.value(row.merged));
    for (const [file, text] of Object.entries(row.filesAfter ?? {})) assert.is(place.read(file), text, file);
  },
  async 'load-file'(row) {
    const place = new Place();
    place.write({ '/files/config': row.content });
    assert.is(await messageOf(() => loadConfigurationFile(place.here('/files/config')), place), row.error);
  },
  async encode(row) {
    assert.is(writeConfiguration(readConfiguration(row.config)), row.text);
  },
  async precedence(row) {
    assert.equal(defaultLoadingRules(identity, row.explicitPath, { KUBECONFIG: row.env }).precedence, row.expected);
  },
  async 'client-config'(row) {
    const place = new Place();
    place.write(row.files);
    const given = place.value(row.overrides) ?? {};
    const overrides: Overrides = {
      ...given,
      cluster: clusterOf(given.cluster),
      clusterDefaults: clusterOf(given.clusterDefaults),
      user: userOf(given.user),
    };
    let resolved: Row;
    const error = await messageOf(() => {
      resolved = resolveConfiguration(readConfiguration(place.value(row.config)), { identity, context: row.context, overrides });
    }, place);
    assert.is(error, row.error);
    if (row.rest === undefined) return;
    const { impersonate = {}, exec, proxyUrl, ...rest } = resolved;
    const { user, uid, groups, extra } = impersonate;
    const shown = {
      ...rest,
      proxy: proxyUrl,
      impersonateUser: user,
      impersonateUID: uid,
      impersonateGroups: groups,
      impersonateExtra: extra,
      exec: exec && { args: null, provideClusterInfo: false, ...exec },
    };
    assert.equal(plain(shown), place.value(row.rest));
  },
  async 'confirm-usable'(row) {
    assert.is(await messageOf(() => confirmUsable(readConfiguration(row.config), row.subject, identity)), row.error);
  },
  async 'validate-config'(row) {
    const place = new Place();
    place.write(row.files);
    const error = await messageOf(() => validateConfiguration(readConfiguration(place.value(row.config)), identity), place);
    assert.equal(problemsIn(error), problemsIn(row.error));
  },
  async 'validate-context'(row) {
    const configuration = readConfiguration(row.config);
    assert.equal(contextProblems(row.subject, configuration.contexts.get(row.subject) ?? {}, configuration), row.errors);
  },
  async 'validate-cluster'(row) {
    const place = new Place();
    place.write(row.files);
    assert.equal(clusterProblems(row.subject, readConfiguration(place.value(row.config)).clusters.get(row.subject) ?? {}), row.errors);
  },
  async 'validate-user'(row) {
    const place = new Place();
    place.write(row.files);
    assert.equal(userProblems(row.subject, readConfiguration(place.value(row.config)).users.get(row.subject) ?? {}), row.errors);
  },
  async 'clean-escape-codes'(row) {
    assert.is(withoutEscapeCodes(row.in), row.expected);
  },
  async exec(row) {
    const place = new Place();
    const [script, told, output] = ['/files/plugin.sh', '/files/told', '/files/output'].map((name) => place.here(name)) as [
      string,
      string,
      string,
    ];
    place.write({ '/files/output': row.output });
    writeFileSync(script, `#!/bin/sh\nprintf '%s' "$KUBERNETES_EXEC_INFO" > '${told}'\ncat '${output}'\nexit ${row.exitCode}\n`);
    chmodSync(script, 0o700);
    const { stdinUnavailable, stdinUnavailableMessage = '', ...settings } = row.config;
    let found: Row;
    const error = await messageOf(async () => {
      const options = {
        identity,
        isTerminal: row.isTerminal,
        cluster: row.cluster ?? undefined,
        ...(stdinUnavailable && { stdinUnavailable: stdinUnavailableMessage }),
      };
      found = await new ExecPlugin({ command: script, ...settings }, options).get();
    });
    assert.is(error?.replace(script, './testdata/test-plugin.sh') ?? null, row.error);
    if (row.input !== undefined) assert.equal(JSON.parse(readFileSync(told, 'utf8')), row.input);
    if (row.error !== null) return;
    assert.equal([found.token, found.certificate !== undefined], [row.token, row.hasCertificate]);
    const { expires } = found;
    assert.is(expires === undefined ? undefined : new Date(expires).toISOString().replace('.000Z', 'Z'), row.expiry);
  },
};

const file = path.join(process.env.TABLES_DIR ?? '../shared/tables', 'client-config.json');
const test = suite('client configurations of 1.32');
if (existsSync(file)) {
  const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { rows: Row[] };
  if (rows.length === 0) test.skip('no rows in the table', () => {});
  for (const row of rows) test(row.name, () => (runs[row.test] as (row: Row) => Promise<void>)(row));
} else console.log('SKIPPED: there is no table of client configurations');
test.run();
