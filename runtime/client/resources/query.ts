/** Options of requests as query parameters. */
import { fieldSelectorText, labelSelectorText } from '../objects/selectors.ts';
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  GetOptions,
  ListOptions,
  TableOptions,
  WatchOptions,
  WriteOptions,
} from './options.ts';

/** Parameters by name. Undefined and empty ones are left out; a list gives a parameter for each text, even an empty one. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** @returns `?…`, or '' without parameters */
export function queryText(...parameters: readonly QueryParameters[]): string {
  const query = new URLSearchParams();
  for (const [name, value] of parameters.flatMap((each) => Object.entries(each)))
    if (value !== undefined && value !== '') for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export function selection({ labels, fields }: Pick<ListOptions, 'labels' | 'fields'>): QueryParameters {
  return {
    labelSelector: labels === undefined ? undefined : labelSelectorText(labels),
    fieldSelector: fields === undefined ? undefined : fieldSelectorText(fields),
  };
}

export function readParameters({ resourceVersion }: GetOptions): QueryParameters {
  return { resourceVersion };
}

export function listParameters(options: ListOptions): QueryParameters {
  const { resourceVersion, resourceVersionMatch, limit, timeoutSeconds } = options;
  return { ...selection(options), resourceVersion, resourceVersionMatch, limit, continue: options.continue, timeoutSeconds };
}

export function watchParameters(options: Pick<WatchOptions, 'labels' | 'fields'>): QueryParameters {
  return { ...selection(options), watch: true, allowWatchBookmarks: true };
}

export function tableParameters({ includeObject }: TableOptions): QueryParameters {
  return { includeObject };
}

/** @param fieldManager of the client, for requests that name none */
export function writeParameters(options: WriteOptions & Pick<ApplyOptions, 'force'>, fieldManager: string | undefined): QueryParameters {
  return {
    dryRun: options.dryRun ? 'All' : undefined,
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    force: options.force ? true : undefined,
  };
}

export function collectionParameters(options: DeleteCollectionOptions): QueryParameters {
  const { limit, resourceVersion } = options;
  return { ...selection(options), limit, continue: options.continue, resourceVersion };
}
