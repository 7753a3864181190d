package io.sluice.center;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A passkey of a browser and device that do what a test, or an attacker, tells them. */
final class SoftAuthenticator {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int PRESENT = 0x01;
    private static final int VERIFIED = 0x04;
    private static final int ATTESTED = 0x40;

    String origin;
    String relyingParty;
    boolean verifiesUser = true;
    int counter = 1;

    private final KeyPair keys;
    private final byte[] id = new byte[32];
    private byte[] handle = new byte[0];

    SoftAuthenticator(String origin, String relyingParty) throws GeneralSecurityException {
        this.origin = origin;
        this.relyingParty = relyingParty;
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        this.keys = generator.generateKeyPair();
        new SecureRandom().nextBytes(id);
    }

    /** Adds a passkey to the account of a page. The answer is not checked. */
    ApiClient.Answer addTo(PageClient page, String label) throws GeneralSecurityException {
        JsonNode options = page.post("/api/me/passkeys/options", "").expect(200).json();
        ObjectNode body = JSON.createObjectNode().put("label", label);
        body.set("credential", create(options));
        return page.post("/api/me/passkeys", body.toString());
    }

    /** Signs in with the passkey. The answer is not checked. */
    ApiClient.Answer signIn(PageClient page) throws GeneralSecurityException {
        JsonNode options =
                page.post("/api/session/passkey/options", "").expect(200).json();
        ObjectNode body = JSON.createObjectNode();
        body.set("credential", use(options));
        return page.post("/api/session/passkey", body.toString());
    }

    /** Answers options with a new passkey. */
    ObjectNode create(JsonNode options) throws GeneralSecurityException {
        handle = decode(options.get("user").get("id").asString());
        ByteArrayOutputStream credential = new ByteArrayOutputStream();
        credential.writeBytes(new byte[16]);
        credential.writeBytes(ByteBuffer.allocate(2).putShort((short) id.length).array());
        credential.writeBytes(id);
        credential.writeBytes(publicKey());
        byte[] data = data(ATTESTED, credential.toByteArray());
        ByteArrayOutputStream attestation = new ByteArrayOutputStream();
        attestation.write(0xa3);
        text(attestation, "fmt");
        text(attestation, "none");
        text(attestation, "attStmt");
        attestation.write(0xa0);
        text(attestation, "authData");
        bytes(attestation, data);
        ObjectNode answer = credential();
        answer.putObject("response")
                .put("clientDataJSON", encode(client("webauthn.create", options)))
                .put("attestationObject", encode(attestation.toByteArray()))
                .putArray("transports")
                .add("internal");
        return answer;
    }

    /** Answers options with a signature. */
    ObjectNode use(JsonNode options) throws GeneralSecurityException {
        counter++;
        byte[] data = data(0, new byte[0]);
        byte[] client = client("webauthn.get", options);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(data);
        signature.update(sha256(client));
        ObjectNode answer = credential();
        answer.putObject("response")
                .put("clientDataJSON", encode(client))
                .put("authenticatorData", encode(data))
                .put("signature", encode(signature.sign()))
                .put("userHandle", encode(handle));
        return answer;
    }

    private ObjectNode credential() {
        ObjectNode answer = JSON.createObjectNode();
        answer.put("id", encode(id))
                .put("rawId", encode(id))
                .put("type", "public-key")
                .put("authenticatorAttachment", "platform");
        answer.putObject("clientExtensionResults");
        return answer;
    }

    private byte[] client(String type, JsonNode options) {
        return JSON.createObjectNode()
                .put("type", type)
                .put("challenge", options.get("challenge").asString())
                .put("origin", origin)
                .put("crossOrigin", false)
                .toString()
                .getBytes(StandardCharsets.UTF_8);
    }

    private byte[] data(int flags, byte[] credential) throws GeneralSecurityException {
        return ByteBuffer.allocate(37 + credential.length)
                .put(sha256(relyingParty.getBytes(StandardCharsets.UTF_8)))
                .put((byte) (flags | PRESENT | (verifiesUser ? VERIFIED : 0)))
                .putInt(counter)
                .put(credential)
                .array();
    }

    /** Returns an ES256 key in the form of COSE. */
    private byte[] publicKey() {
        ECPublicKey key = (ECPublicKey) keys.getPublic();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {(byte) 0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21});
        bytes(out, coordinate(key.getW().getAffineX()));
        out.write(0x22);
        bytes(out, coordinate(key.getW().getAffineY()));
        return out.toByteArray();
    }

    private static byte[] coordinate(BigInteger number) {
        byte[] bytes = number.toByteArray();
        byte[] fixed = new byte[32];
        int length = Math.min(bytes.length, 32);
        System.arraycopy(bytes, bytes.length - length, fixed, 32 - length, length);
        return fixed;
    }

    private static void text(ByteArrayOutputStream out, String text) {
        out.write(0x60 | text.length());
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void bytes(ByteArrayOutputStream out, byte[] bytes) {
        out.write(0x59);
        out.writeBytes(ByteBuffer.allocate(2).putShort((short) bytes.length).array());
        out.writeBytes(bytes);
    }

    private static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] decode(String text) {
        return Base64.getUrlDecoder().decode(text);
    }
}
