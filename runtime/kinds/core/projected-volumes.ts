/** Volumes whose files come from several sources. */
import type { ClusterTrustBundleProjection, ProjectedVolumeSource } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { validateSignerName } from '../certificates/signer-name.ts';
import { NONE } from '../joined.ts';
import { validateLabelSelector } from '../metadata/labels.ts';

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

/** Certificates are those of one bundle, or those of one signer that a selector picks. */
export function trustSource(source: ClusterTrustBundleProjection): readonly FieldError[] {
  const { name, signerName, labelSelector } = source;
  if (name !== undefined && signerName !== undefined) return [invalid('', source, 'only one of name and signerName may be used')];
  if (name !== undefined)
    return [
      ...(name === '' ? [required('.name', 'must be a valid object name')] : NONE),
      ...bundleNameMessages(name).map((message) => invalid('.name', name, `not a valid clustertrustbundlename: ${message}`)),
      ...(labelSelector === undefined
        ? NONE
        : [invalid('.labelSelector', labelSelector, 'labelSelector must be unset if name is specified')]),
    ];
  if (signerName === undefined) return [required('', 'either name or signerName must be specified')];
  return [
    ...(signerName === '' ? [required('.signerName', 'must be a valid signer name')] : NONE),
    ...validateSignerName(signerName, '.signerName'),
    ...validateLabelSelector(labelSelector, '.labelSelector'),
  ];
}

/** A bundle of a signer is named after it: the signer's name with a colon for the slash, a colon, and a name. */
function bundleNameMessages(name: string): readonly string[] {
  const last = name.lastIndexOf(':');
  return dnsSubdomain(last === -1 ? name : name.slice(last + 1));
}
