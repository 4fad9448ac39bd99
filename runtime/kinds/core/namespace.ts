import type { Namespace } from '../../../generated/core/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { eachItem } from '../findings.ts';
import { validateFinalizer } from '../metadata/object-meta.ts';

/** Keeps a namespace that is deleted until what is in it has gone. */
const FINALIZER = 'kubernetes';

export function rules(identity: Identity): KindRules<Namespace> {
  const nameLabel = identity.text('${labelDomain}/metadata.name');
  return {
    /** Selectors find every namespace by its name. */
    defaults({ metadata }) {
      if (metadata.name && metadata.labels?.[nameLabel] !== metadata.name)
        metadata.labels = withLabel(metadata.labels, nameLabel, metadata.name);
    },
    prepareForCreate(object) {
      const { name = '' } = object.metadata;
      object.metadata.labels = withLabel(object.metadata.labels, nameLabel, name);
      object.status = { phase: 'Active' };
      const finalizers: string[] = object.spec?.finalizers ?? [];
      if (!finalizers.includes(FINALIZER)) object.spec = { ...object.spec, finalizers: [...finalizers, FINALIZER] };
    },
    prepareForUpdate(object, old) {
      if (old.spec?.finalizers === undefined) delete object.spec?.finalizers;
      else object.spec = { ...object.spec, finalizers: old.spec.finalizers };
    },
    /** Everything but the status; spec.finalizers change nowhere else. */
    parts: {
      finalize: {
        take(object, { metadata, spec }) {
          object.metadata = metadata;
          object.spec = spec;
        },
        validateUpdate: ({ spec }) => eachItem(spec?.finalizers, 'spec.finalizers', validateFinalizer),
      },
    },
    prepareForDeletion(object) {
      object.status = { ...object.status, phase: 'Terminating' };
    },
    holdsDeletion: ({ spec }) => (spec?.finalizers ?? []).length > 0,
  };
}

/** Labels are kept sorted. */
function withLabel(labels: Readonly<Record<string, string>> | undefined, key: string, value: string): Record<string, string> {
  const all: Record<string, string> = { ...labels, [key]: value };
  return Object.fromEntries(
    Object.keys(all)
      .sort()
      .map((name) => [name, all[name] as string]),
  );
}
