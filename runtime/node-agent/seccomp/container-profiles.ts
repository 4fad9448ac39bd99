/** Which seccomp profile each container of a pod runs under (specification: Pod seccomp fields). */
import path from 'node:path';
import type { Container, EphemeralContainer, Pod, SeccompProfile } from '../../../generated/core/v1/types.ts';
import { FileError } from '../../files/file-error.ts';
import { checkProfileFile } from './profile.ts';

export interface ContainerProfile {
  /** of the pod's spec */
  readonly list: 'initContainers' | 'containers' | 'ephemeralContainers';
  readonly container: string;
  readonly type: string;
  /** of Localhost: absolute path of the file; undefined where the pod names none that may be */
  readonly file: string | undefined;
  /** what says so: a field of the pod, or a default */
  readonly from: string;
  /** the container cannot be created, with the reason CreateContainerError */
  readonly problem: string | undefined;
}

export interface ProfileSettings {
  /** absolute path of the agent's folder; profiles are below `seccomp/` in it */
  readonly rootDirectory: string;
  /** containers for which nothing is said run under the runtime's own profile, instead of none */
  readonly seccompDefault: boolean;
}

/** Why a container that is in a waiting state is not created. */
export const CREATE_CONTAINER_ERROR = 'CreateContainerError';

/** In the order in which the containers of the pod start. */
export async function containerProfiles({ spec }: Pick<Pod, 'spec'>, settings: ProfileSettings): Promise<ContainerProfile[]> {
  const ofPod = spec?.securityContext?.seccompProfile;
  const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
  const chosen = lists.flatMap((list) =>
    ((spec?.[list] ?? []) as readonly (Container | EphemeralContainer)[]).map((container, index) => ({
      list,
      container: container.name,
      ...choose(container, { list, index, ofPod, seccompDefault: settings.seccompDefault }),
    })),
  );
  return await Promise.all(
    chosen.map(async ({ profile, ...each }) => ({ ...each, type: profile.type, ...(await fileOf(profile, settings.rootDirectory)) })),
  );
}

interface Circumstances {
  readonly list: ContainerProfile['list'];
  readonly index: number;
  readonly ofPod: SeccompProfile | null | undefined;
  readonly seccompDefault: boolean;
}

function choose(
  { securityContext }: Container | EphemeralContainer,
  { list, index, ofPod, seccompDefault }: Circumstances,
): { profile: SeccompProfile; from: string } {
  const field = `spec.${list}[${index}].securityContext`;
  if (securityContext?.privileged === true) return { profile: { type: 'Unconfined' }, from: `${field}.privileged` };
  const own = securityContext?.seccompProfile;
  if (own) return { profile: own, from: `${field}.seccompProfile` };
  if (ofPod) return { profile: ofPod, from: 'spec.securityContext.seccompProfile' };
  return { profile: { type: seccompDefault ? 'RuntimeDefault' : 'Unconfined' }, from: seccompDefault ? '--seccomp-default' : 'default' };
}

async function fileOf(
  { type, localhostProfile }: SeccompProfile,
  rootDirectory: string,
): Promise<Pick<ContainerProfile, 'file' | 'problem'>> {
  if (type === 'RuntimeDefault' || type === 'Unconfined') return { file: undefined, problem: undefined };
  if (type !== 'Localhost') return { file: undefined, problem: `there is no seccomp profile type "${type}"` };
  const problem = pathProblem(localhostProfile ?? '');
  if (problem !== undefined) return { file: undefined, problem };
  const file = path.join(rootDirectory, 'seccomp', localhostProfile as string);
  return { file, problem: await fileProblem(file) };
}

function pathProblem(localhostProfile: string): string | undefined {
  if (localhostProfile === '') return 'localhostProfile must be set if seccompProfile type is Localhost';
  if (path.isAbsolute(localhostProfile)) return `localhostProfile "${localhostProfile}" must be a relative path`;
  return localhostProfile.split('/').includes('..') ? `localhostProfile "${localhostProfile}" must not contain '..'` : undefined;
}

async function fileProblem(file: string): Promise<string | undefined> {
  try {
    const { problems } = await checkProfileFile(file);
    return problems.length === 0 ? undefined : `cannot load seccomp profile "${file}": ${problems.join('; ')}`;
  } catch (error) {
    const reason = error instanceof FileError ? error.problems.join('; ') : (error as Error).message;
    return `cannot load seccomp profile "${file}": ${reason}`;
  }
}
