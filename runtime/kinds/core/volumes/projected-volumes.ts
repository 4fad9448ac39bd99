/** Volumes whose files come from several sources. */
import type { ProjectedVolumeSource } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import { dnsSubdomain } from '../../../formats/names.ts';
import { NONE } from '../../../validation/joined.ts';

/** No two files of a volume have one path. Those of tokens are not looked at in 1.32. */
export function differentPaths({ sources }: ProjectedVolumeSource): readonly FieldError[] {
  const files = new Files();
  for (const { secret, configMap, downwardAPI, clusterTrustBundle: bundle } of sources ?? []) {
    files.addAll(secret?.items, secret?.name ?? '');
    files.addAll(configMap?.items, configMap?.name ?? '');
    files.addAll(downwardAPI?.items);
    if (bundle !== undefined) files.add(bundle.path, bundle.path);
  }
  return files.errors;
}

/** Paths of the files of one volume. */
class Files {
  errors: readonly FieldError[] = NONE;
  readonly #taken = new Set<string>();

  /** @param shown how errors tell of the files; absent: by their paths */
  addAll(files: readonly { readonly path: string }[] | undefined, shown?: string): void {
    if (files === undefined) return;
    for (const { path } of files) if (path !== '') this.add(path, shown ?? path);
  }

  add(path: string, shown: string): void {
    if (this.#taken.has(path)) this.errors = [...this.errors, invalid('', shown, 'conflicting duplicate paths')];
    this.#taken.add(path);
  }
}

/** A bundle of a signer is named after it: the signer's name with a colon for the slash, a colon, and a name. */
export function bundleName(name: string): readonly FieldError[] {
  return dnsSubdomain(name.slice(name.lastIndexOf(':') + 1)).map((message) =>
    invalid('', name, `not a valid clustertrustbundlename: ${message}`),
  );
}
