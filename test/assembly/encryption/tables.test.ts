/**
 * What release 1.32 makes of encryption configurations. Rows of `encryption.json` in the folder that TABLES_DIR names, by default beside the
 * checkout.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Key, KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { parseEncryption, serviceGrace } from '../../../runtime/assembly/encryption/encryption-file.ts';
import { fileKinds } from '../../files/reader.ts';
import { tableRows } from '../../harness/tables.ts';

interface ExpectedError {
  readonly type: string;
  readonly field: string;
  readonly detail: string;
  readonly text: string;
}

interface Row {
  readonly name: string;
  readonly test: string;
  readonly content: string;
  readonly config: object | null;
  readonly error: string | null;
  readonly errorContains?: string;
  readonly errorOnReload: string | null;
  readonly errors: readonly ExpectedError[];
  readonly reload: boolean;
  readonly kmsCloseGracePeriodSeconds?: number;
  readonly loaded?: { readonly resources: readonly object[] };
  readonly namesSoFar?: readonly string[];
  readonly keySizes?: readonly number[];
}

const kinds = fileKinds();
const file = (content: string, name: string, reloads: boolean) =>
  parseEncryption(content, { file: name, kinds, featureEnabled: () => true, reloads });
const textOf = (config: object) => JSON.stringify({ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', ...config });

/** @returns the message; undefined where nothing is wrong */
const problemOf = (parsed: Promise<unknown>): Promise<string | undefined> =>
  parsed.then(
    () => undefined,
    (error: Error) => error.message,
  );

/** 1.32 shows providers with addresses of its memory. */
const PROVIDER = /Invalid value: [^[\]]*?: (?=more than one provider|provider does not contain)/g;

/** Several errors stand in brackets, in any order. */
function assertAll(given: string | undefined, all: readonly string[]): void {
  const problem = given?.replace(PROVIDER, '');
  const texts = all.map((text) => text.replace(PROVIDER, ''));
  if (texts.length < 2) return assert.is(problem, texts[0]);
  for (const text of texts) assert.ok(problem?.includes(text), `${problem}\n${text}`);
  assert.is(problem?.length, `[${texts.join(', ')}]`.length, problem);
}

/** The parts of a problem, without its path and what it shows of the value. */
const kindAndDetail = ({ type, detail }: ExpectedError): [string, string] => [TYPES[type] as string, detail];
const TYPES: Readonly<Record<string, string>> = { FieldValueRequired: 'Required value', FieldValueInvalid: 'Invalid value' };

/** A configuration in which the one entry of the row stands alone. */
const around = (provider: object, before: readonly object[] = []) =>
  textOf({ resources: [{ resources: ['secrets'], providers: [...before, provider] }] });

/** What is missing in the row's entry, and of no concern to it. */
const service = (kms: Partial<KMSConfiguration>) => ({
  kms: {
    ...kms,
    apiVersion: kms.apiVersion || 'v2',
    name: kms.name === '' ? 'some' : kms.name,
    endpoint: kms.endpoint || 'unix:///some.sock',
  },
});

type Make = (row: Row) => { readonly content: string; readonly reloads?: boolean };
const parts: Readonly<Record<string, Make>> = {
  // only one provider takes keys of a single length
  key: ({ config, keySizes = [] }) => ({
    content: around({ [keySizes.length === 1 ? 'secretbox' : 'aescbc']: { keys: [config as Key] } }),
  }),
  'kms-timeout': ({ config }) => ({ content: around(service(config as KMSConfiguration)) }),
  'kms-endpoint': ({ config }) => {
    const { endpoint } = config as KMSConfiguration;
    const { kms } = service(config as KMSConfiguration);
    return { content: around({ kms: { ...kms, endpoint } }) };
  },
  'kms-cache-size': ({ config }) => ({ content: around(service(config as KMSConfiguration)) }),
  'kms-api-version': ({ config }) => ({ content: around(service(config as KMSConfiguration)) }),
  'kms-name': ({ config, namesSoFar = [], reload }) => {
    const { kms } = service(config as KMSConfiguration);
    const before = namesSoFar.map((name) => service({ name, apiVersion: 'v2' }));
    return { content: around({ kms: { ...kms, name: (config as KMSConfiguration).name } }, before), reloads: reload };
  },
};

const table = suite('the table of encryption configurations');
const rows = tableRows<Row>('encryption.json');
if (rows.length === 0) table.skip('no rows in the table', () => {});
for (const row of rows)
  table(row.name, async () => {
    if (row.test === 'file') {
      const name = `testdata/${row.name.slice('file: '.length)}`;
      for (const reloads of [false, true]) {
        const expected = reloads ? row.errorOnReload : row.error;
        const problem = await problemOf(file(row.content, name, reloads));
        // what follows in the full text is a place in the sources of 1.32
        if (expected?.includes(' in scheme "')) assert.is(problem, expected.slice(0, expected.indexOf(' in scheme "')));
        else assert.is(problem ?? null, expected);
        if (row.errorContains !== undefined) assert.ok(problem?.includes(row.errorContains), problem);
      }
      if (row.loaded === undefined) return;
      const loaded = await file(row.content, name, false);
      assert.equal(loaded.resources, row.loaded.resources);
      if (row.kmsCloseGracePeriodSeconds !== undefined) assert.is(serviceGrace(loaded), row.kmsCloseGracePeriodSeconds * 1_000);
      return;
    }
    if (row.test === 'structure') {
      const problem = await problemOf(file(textOf(row.config ?? {}), 'file', row.reload));
      const [first] = row.errors;
      // a file holds an object, which is never nil
      if (row.config === null) assert.match(problem ?? '', `${first?.field}: Required value: `);
      else assertAll(problem, [...new Set(row.errors.map(({ text }) => text))]);
      return;
    }
    const make = parts[row.test];
    assert.ok(make, `nothing reads rows of ${row.test}`);
    const { content, reloads = false } = make(row);
    const problem = await problemOf(file(content, 'file', reloads));
    if (row.errors.length === 0) return assert.is(problem, undefined);
    for (const error of row.errors) {
      const [type, detail] = kindAndDetail(error);
      assert.ok(problem?.includes(`: ${type}: `) && problem?.endsWith(detail), `${problem}\n${error.text}`);
      if (error.text.includes('REDACTED')) assert.ok(problem?.includes('"REDACTED"'), problem);
    }
  });
table.run();
