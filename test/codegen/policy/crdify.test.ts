/**
 * Definitions of custom resources whose incompatibilities another tool reports: all that it finds is found. Rows of `crdify.json` in the folder
 * that TABLES_DIR names, by default beside the checkout.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareDefinitions } from '../../../codegen/policy/definitions/compare-definitions.ts';
import { readDefinitionFile } from '../../../codegen/policy/definitions/definition.ts';
import { type Finding, FindingList } from '../../../codegen/policy/finding.ts';

interface Comparison {
  readonly property: string;
  readonly comparisonResults: readonly {
    readonly name: string;
    readonly errors?: readonly string[];
    readonly warnings?: readonly string[];
  }[];
}

interface VersionReport {
  readonly version: string;
  readonly propertyComparisons: readonly Comparison[];
}

interface Row {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  readonly expected: {
    readonly crdValidation?: readonly { readonly name: string; readonly errors?: readonly string[] }[];
    readonly sameVersionValidation?: readonly VersionReport[];
    readonly servedVersionValidation?: readonly VersionReport[];
  };
}

/** What this tool calls what the other one calls so; a name that is not here may be anything. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  default: ['CP117'],
  description: ['CP130'],
  enum: ['CP115', 'CP116', 'CP131'],
  format: ['CP111'],
  nullable: ['CP131', 'CP132'],
  required: ['CP118', 'CP133'],
  type: ['CP111'],
};

/** Of both tools the path of a property: without a beginning, and alternatives of a schema are the schema's. */
function pathOf(property: string): string {
  return property
    .replace(/^\^\.?/, '')
    .replace(/\.?\b(?:oneOf|anyOf|allOf|not)\b.*/, '')
    .replaceAll(/\.items\b|\[\*\]/g, '[]');
}

function compare(a: string, b: string): readonly Finding[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-crdify-'));
  try {
    const definitions = [a, b].map((text, index) => {
      const file = path.join(folder, `${index}.yaml`);
      writeFileSync(file, text);
      return readDefinitionFile(file);
    });
    const list = new FindingList();
    compareDefinitions(definitions[0] ?? [], definitions[1] ?? [], list);
    return list.findings;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param version such as `v1` */
function isFound(findings: readonly Finding[], version: string, property: string, name: string): boolean {
  const wanted = pathOf(property);
  const here = findings.filter(({ element }) => {
    const [, of, at = ''] = element.split(' ');
    return of === version && at === wanted;
  });
  // All that was said of a field that is gone goes with it.
  return here.some(({ code }) => code === 'CP110' || code.startsWith('CP20') || (CODES[name] ?? [code]).includes(code));
}

function missing({ expected }: Row, findings: readonly Finding[]): string[] {
  const { crdValidation = [], sameVersionValidation = [], servedVersionValidation = [] } = expected;
  const codes = new Set<string>(findings.map(({ code }) => code));
  const ofDefinition = crdValidation.flatMap(({ name, errors = [] }) => {
    if (errors.length === 0) return [];
    if (name === 'scope') return codes.has('CP102') ? [] : [name];
    if (name === 'storedVersionRemoval') return codes.has('CP412') ? [] : [name];
    return errors.filter((text) => {
      const [, version = '', property = ''] = /: ([^.]+)\.(.*)$/.exec(text) ?? [];
      return !isFound(findings, version, property, '');
    });
  });
  const ofVersions = [...sameVersionValidation, ...servedVersionValidation].flatMap(({ version, propertyComparisons }) =>
    propertyComparisons.flatMap(({ property, comparisonResults }) =>
      comparisonResults
        .filter(({ errors = [], warnings = [] }) => errors.length + warnings.length > 0)
        .filter(({ name }) => !version.split(' <-> ').some((each) => isFound(findings, each, property, name)))
        .map(({ name }) => `${version} ${property} ${name}`),
    ),
  );
  return [...ofDefinition, ...ofVersions];
}

const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../../shared/tables'), 'crdify.json');
const crdify = suite('definitions that another tool compares');
if (!existsSync(file)) console.log(`SKIPPED: no table at ${file}`);
else {
  const { rows }: { rows: Row[] } = JSON.parse(readFileSync(file, 'utf8'));
  for (const row of rows)
    crdify(row.name, () => {
      const findings = compare(row.a, row.b);
      const found = findings.map(({ code, element, was, is }) => `${code} ${element}: ${was} -> ${is}`);
      assert.equal(missing(row, findings), [], found.join('\n'));
      if (Object.keys(row.expected).length === 0) assert.equal(found, []);
      assert.equal(compare(row.a, row.a), []);
    });
  if (rows.length === 0) crdify.skip('no rows in the table', () => {});
}
crdify.run();
