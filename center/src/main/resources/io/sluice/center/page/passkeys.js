// Making and using passkeys in the browser.
import { call } from '/assets/api.js';

/** A passkey could not be made or used. The reason is the name of a text. */
export class PasskeyFailure extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/** Returns why passkeys cannot work on this page; null if they can. */
export function obstacle() {
  if (/^[0-9.]+$|^\[/.test(location.hostname)) {
    return 'passkeyNeedsName';
  }
  if (!window.isSecureContext) {
    return 'passkeyNeedsHttps';
  }
  return window.PublicKeyCredential ? null : 'passkeyUnsupported';
}

/** Returns this page under a name that passkeys can belong to. */
export function namedAddress() {
  const url = new URL(location.href);
  url.hostname = 'localhost';
  return url.href;
}

function bytes(text) {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(binary, (each) => each.charCodeAt(0));
}

function text(buffer) {
  const binary = Array.from(new Uint8Array(buffer), (each) => String.fromCharCode(each)).join('');
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function descriptors(list) {
  return (list ?? []).map((each) => ({ ...each, id: bytes(each.id) }));
}

function answer(credential, response) {
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: {},
    response,
  };
}

async function ask(question, whenRefused) {
  try {
    const credential = await question();
    if (credential) {
      return credential;
    }
  } catch (failure) {
    if (failure.name === 'InvalidStateError') {
      throw new PasskeyFailure('passkeyExists');
    }
    if (failure.name === 'SecurityError') {
      throw new PasskeyFailure('passkeyWrongSite');
    }
    if (failure.name === 'NotSupportedError' || failure.name === 'ConstraintError') {
      throw new PasskeyFailure('passkeyUnsupported');
    }
  }
  throw new PasskeyFailure(whenRefused);
}

/** Makes a passkey on this device and adds it to the account. */
export async function addPasskey(label) {
  const options = await call('POST', '/api/me/passkeys/options');
  const credential = await ask(
    () =>
      navigator.credentials.create({
        publicKey: {
          ...options,
          challenge: bytes(options.challenge),
          user: { ...options.user, id: bytes(options.user.id) },
          excludeCredentials: descriptors(options.excludeCredentials),
        },
      }),
    'passkeyNotMade',
  );
  return call('POST', '/api/me/passkeys', {
    label,
    credential: answer(credential, {
      clientDataJSON: text(credential.response.clientDataJSON),
      attestationObject: text(credential.response.attestationObject),
      transports: credential.response.getTransports?.() ?? [],
    }),
  });
}

/** Signs in with a passkey, or presents it again. */
export async function usePasskey() {
  const options = await call('POST', '/api/session/passkey/options');
  const credential = await ask(
    () =>
      navigator.credentials.get({
        publicKey: {
          ...options,
          challenge: bytes(options.challenge),
          allowCredentials: descriptors(options.allowCredentials),
        },
      }),
    'passkeyNotUsed',
  );
  const response = credential.response;
  return call('POST', '/api/session/passkey', {
    credential: answer(credential, {
      clientDataJSON: text(response.clientDataJSON),
      authenticatorData: text(response.authenticatorData),
      signature: text(response.signature),
      userHandle: response.userHandle ? text(response.userHandle) : undefined,
    }),
  });
}

/** Returns a name for a passkey of this device. */
export function deviceName() {
  const platform = navigator.userAgentData?.platform || navigator.platform || '';
  const known = ['Windows', 'macOS', 'Android', 'iPhone', 'iPad', 'Chrome OS', 'Linux'];
  return known.find((name) => platform.startsWith(name)) ?? (platform.startsWith('Mac') ? 'macOS' : '');
}
