import { wildcardsMeet } from './meet-pattern.ts';

/** Names that are likely to hold credentials. */
const SECRET_NAMES = [
  ...['.env*', '.ssh', '.aws', '.azure', '.kube', '.docker', '.gnupg', '.netrc', '.npmrc', '.pypirc', '.git'],
  ...['.git-credentials', '.pgpass', '.orchestrate', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'],
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.kdbx', '*.keystore', 'credentials*'],
  ...['secret', 'secrets', 'secret.*', 'secrets.*', 'shadow', '*_history'],
];

/** Any file of a kind that is written to be read. */
const ANY_OF_A_KIND =
  /^\*\.(?:md|rst|adoc|[cm]?[jt]sx?|css|html|py|go|rs|java|kt|c|h|cc|cpp|hpp|rb|php|swift|svg|log)$/i;

/** Whether a name is likely to be that of credentials. */
export function isSecretName(name: string): boolean {
  const plain = name.replace(/[*?]/g, '_');
  return SECRET_NAMES.some((secret) => meets(secret, plain));
}

/** Whether a shell may fill in the name of credentials for a word. */
export function mayBeSecret(glob: string): boolean {
  return glob.split(/[/=:,]/).some((name) => {
    const plain = name.replace(/\[[^\]]*\]/g, '?');
    if (!/[*?]/.test(plain) || ANY_OF_A_KIND.test(plain)) return false;
    return SECRET_NAMES.some(
      (secret) => (!secret.startsWith('.') || plain.startsWith('.')) && meets(secret, plain),
    );
  });
}

function meets(secret: string, name: string): boolean {
  return wildcardsMeet(secret, name.toLowerCase());
}
