/** The API that flags choose, with its feature gates. */
import { currentRelease } from '../../../generated/releases.ts';
import { groupVersions } from '../../../generated/routes.ts';
import { ruleModules } from '../../../generated/rules.ts';
import type { ApiHistory } from '../../contract/history.ts';
import type { Identity } from '../../contract/identity.ts';
import type { GroupVersionData } from '../../contract/kind.ts';
import { renaming } from '../../custom-resources/conversion/converter-of.ts';
import type { EarlierDocuments } from '../../openapi/earlier/earlier-documents.ts';
import type { EmulatedRelease, EmulatedReleaseParts } from '../../registry/emulation/emulated-release.ts';
import { BuiltInApi } from '../../registry/resources/built-in-api.ts';
import { servedVersions } from '../../registry/resources/runtime-config.ts';
import { chosenGates, releaseOf } from './chosen-gates.ts';
import type { Flags } from './flags.ts';

export interface ChosenApi {
  readonly featureEnabled: (gate: string) => boolean;
  readonly builtIn: BuiltInApi;
  /** the release whose API is served, such as `1.32` */
  readonly release: string;
  /** absent if the current release is served */
  readonly emulated?: EmulatedRelease;
}

type ChoosingFlags = Pick<Flags, 'delegated-authentication' | 'emulated-release' | 'emulated-version' | 'feature-gates' | 'runtime-config'>;

/** How many choices are kept for each identity, because each of them holds all kinds of an API. */
const MOST = 8;

/**
 * The choices that were used last, shared by all servers of this process. They depend on the schemas and on flags, and hold no state of a
 * server.
 */
const chosen = new WeakMap<Identity, Map<string, Promise<ChosenApi>>>();

/**
 * Servers of the same identity and with the same flags share one result.
 * @throws Error for unknown releases, feature gates and API groups
 */
export async function chosenApi(identity: Identity, flags: ChoosingFlags): Promise<ChosenApi> {
  let choices = chosen.get(identity);
  if (choices === undefined) {
    choices = new Map();
    chosen.set(identity, choices);
  }
  const key = JSON.stringify([
    flags['emulated-release'],
    flags['emulated-version'],
    flags['feature-gates'],
    flags['runtime-config'],
    flags['delegated-authentication'],
  ]);
  const choice = choices.get(key) ?? choose(identity, flags);
  choices.delete(key);
  choices.set(key, choice);
  for (const oldest of choices.keys()) if (choices.size > MOST) choices.delete(oldest);
  try {
    return await choice;
  } catch (error) {
    choices.delete(key);
    throw error;
  }
}

async function choose(identity: Identity, flags: ChoosingFlags): Promise<ChosenApi> {
  const release = releaseOf(flags);
  const { isEnabled: featureEnabled } = chosenGates(flags);
  const emulated = release === currentRelease ? undefined : await emulate(release);
  const data = emulated?.groupVersions ?? groupVersions;
  const config = new Map(Object.entries(flags['runtime-config']));
  const serves = servedVersions(config, resolved(data, identity), flags['delegated-authentication']);
  const parts = { data, identity, rules: ruleModules, serves, featureEnabled, release, renaming };
  if (emulated === undefined) return { featureEnabled, release, builtIn: new BuiltInApi(parts) };
  return { featureEnabled, release, emulated, builtIn: new BuiltInApi({ ...parts, hubs: emulated.hubs }) };
}

const resolved = (data: readonly GroupVersionData[], identity: Identity) =>
  data.map((each) => ({ ...each, group: identity.text(each.group) }));

/**
 * Makes the API of a release. The history of earlier releases is loaded only when this is called.
 * @param release the current release has the API of today together with the kinds that were removed
 */
export async function emulate(release: string = currentRelease): Promise<EmulatedRelease> {
  const [{ EmulatedRelease }, { history }] = await Promise.all([
    import('../../registry/emulation/emulated-release.ts'),
    import('../../../generated/history.ts'),
  ]);
  let documents: Promise<EarlierDocuments> | undefined;
  const loadOpenapi: EmulatedReleaseParts['loadOpenapi'] = async (...groupVersion) => {
    documents ??= earlierDocuments(emulated, history);
    return (await documents).text(...groupVersion);
  };
  const emulated = new EmulatedRelease({ groupVersions, history, current: currentRelease, release, loadOpenapi });
  return emulated;
}

async function earlierDocuments(emulated: EmulatedRelease, history: ApiHistory): Promise<EarlierDocuments> {
  const { EarlierDocuments } = await import('../../openapi/earlier/earlier-documents.ts');
  const current = groupVersions.map(({ loadOpenapi }) => loadOpenapi);
  return new EarlierDocuments({ release: emulated.release, groupVersions: emulated.groupVersions, all: emulated.hubs, current, history });
}
