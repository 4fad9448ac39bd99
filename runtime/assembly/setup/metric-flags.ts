/** The flags that say which metrics are collected, and which values their labels may have. */
import { FileError } from '../../files/file-error.ts';
import { readFileText } from '../../files/file-text.ts';
import type { AllowedLabels } from '../../observability/label-bounds.ts';
import { parseYaml } from '../../schema/yaml/parse-yaml.ts';

const KEY = '([a-zA-Z_:][a-zA-Z0-9_:]*),\\s*([a-zA-Z_][a-zA-Z0-9_]*)';
const WHOLE_KEY = new RegExp(`^${KEY}$`);
/** One of several pairs. Its values may be quoted; without quotes they reach to the end of the text. */
const PAIR = new RegExp(`\\s*${KEY}=(?:'([^']*)'|"([^"]*)"|((?:[^'"=][^=]*)?))(?:,|$)`, 'y');

/** @param text such as `apiserver_request_total,verb=GET,LIST`. @throws Error that names the flag */
function pairsOf(text: string): [metric: string, label: string, values: string][] {
  const pairs: [string, string, string][] = [];
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < text.length || pairs.length === 0) {
    const [, metric, label, ...values] = PAIR.exec(text) ?? [];
    if (metric === undefined || label === undefined)
      throw new Error(`--allow-metric-labels: ${JSON.stringify(text)} is not of the form METRIC,LABEL=VALUE,VALUE`);
    pairs.push([metric, label, values.find((value) => value !== undefined) ?? '']);
  }
  return pairs;
}

/** @throws FileError */
async function pairsOfFile(file: string): Promise<[metric: string, label: string, values: string][]> {
  const { value } = parsed(file, await readFileText(file));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new FileError(file, ['it is not a map']);
  return Object.entries(value).map(([key, values]) => {
    const [, metric, label] = WHOLE_KEY.exec(key) ?? [];
    if (metric === undefined || label === undefined) throw new FileError(file, [`${JSON.stringify(key)} is not of the form METRIC,LABEL`]);
    if (typeof values !== 'string') throw new FileError(file, [`${key}: a text with values between commas is expected`]);
    return [metric, label, values];
  });
}

/** @throws FileError */
function parsed(file: string, text: string): { readonly value: unknown } {
  try {
    return parseYaml(text);
  } catch (error) {
    throw new FileError(file, [error instanceof Error ? error.message : String(error)]);
  }
}

/**
 * If the file and the flag name the same label, the file counts.
 * @param texts values of --allow-metric-labels
 * @param file value of --allow-metric-labels-manifest; '' for none
 * @throws Error that names the flag
 * @throws FileError
 */
export async function allowedLabels(texts: readonly string[], file: string): Promise<AllowedLabels> {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [metric, label, values] of [...texts.flatMap(pairsOf), ...(file === '' ? [] : await pairsOfFile(file))]) {
    const of = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
    allowed.set(metric, of.set(label, new Set(values.split(',').map((value) => value.trim()))));
  }
  return allowed;
}
